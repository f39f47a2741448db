package io.galgo.server.configuration;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Literal addresses and host names in the configuration. Nothing here asks a name server.
final class AddressText {
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");

    private AddressText() {}

    /// A network of a client selector, in canonical form: families never match each other.
    ///
    /// @param address the truncated address
    /// @param prefixBits how many leading bits count
    record Cidr(InetAddress address, int prefixBits) {
        boolean overlaps(Cidr other) {
            byte[] mine = address.getAddress();
            byte[] theirs = other.address.getAddress();
            int bits = Math.min(prefixBits, other.prefixBits);
            return mine.length == theirs.length && truncated(mine, bits).equals(truncated(theirs, bits));
        }
    }

    /// Reads `IPv4:port` or `[IPv6]:port`, null for anything else.
    static @Nullable InetSocketAddress parseSocketAddress(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0) {
            return null;
        }
        String host = text.substring(0, colon);
        InetAddress address;
        if (host.startsWith("[") && host.endsWith("]")) {
            address = parseIpv6(host.substring(1, host.length() - 1));
        } else {
            address = parseIpv4(host);
        }
        int port = parsePort(text.substring(colon + 1));
        return address == null || port < 0 ? null : new InetSocketAddress(address, port);
    }

    private static int parsePort(String text) {
        if (text.isEmpty() || text.length() > 5) {
            return -1;
        }
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            port = port * 10 + digit - '0';
        }
        return port <= 65_535 ? port : -1;
    }

    /// Reads an IPv4 or IPv6 address without a port, null for anything else.
    static @Nullable InetAddress parseIp(String text) {
        InetAddress address = parseIpv4(text);
        return address != null ? address : parseIpv6(text);
    }

    private static @Nullable InetAddress parseIpv4(String text) {
        return IPV4.matcher(text).matches() ? InetAddress.ofLiteral(text) : null;
    }

    private static @Nullable InetAddress parseIpv6(String text) {
        if (!IPV6.matcher(text).matches()) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    /// Whether an address means "every interface": `0.0.0.0`, `::`, and the first one mapped into IPv6.
    static boolean isWildcard(InetAddress address) {
        return address.isAnyLocalAddress();
    }

    /// Reads an advertised address: an IP literal, in brackets if it likes to, or an RFC 1123 host name.
    ///
    /// @return its canonical form in lower case, or null when it is malformed or unspecified
    static @Nullable String parseAdvertised(String text) {
        String bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        InetAddress address = bare.equals(text) ? parseIp(bare) : parseIpv6(bare);
        if (address != null) {
            return isWildcard(address) ? null : canonical(address);
        }
        if (!bare.equals(text)
                || text.length() > 253
                || DIGITS_AND_DOTS.matcher(text).matches()) {
            return null;
        }
        for (String label : text.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return null;
            }
        }
        return text.toLowerCase(Locale.ROOT);
    }

    /// Reads `address/bits` and cuts the address to its network.
    static @Nullable Cidr parseCidr(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return null;
        }
        InetAddress address = parseIp(text.substring(0, slash));
        int bits = parsePort(text.substring(slash + 1));
        if (address == null || bits < 0) {
            return null;
        }
        int bitsMax = address.getAddress().length * 8;
        // A mapped address is read as IPv4 already; its prefix still counts from the IPv6 start.
        if (bitsMax == 32 && text.indexOf(':') >= 0) {
            bits -= 96;
        }
        if (bits < 0 || bits > bitsMax) {
            return null;
        }
        return new Cidr(truncated(address.getAddress(), bits), bits);
    }

    private static InetAddress truncated(byte[] address, int bits) {
        byte[] network = address.clone();
        for (int bit = bits; bit < network.length * 8; bit++) {
            network[bit / 8] &= (byte) ~(0x80 >>> (bit % 8));
        }
        try {
            return InetAddress.getByAddress(network);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// An address in its shortest usual form.
    static String canonical(InetAddress address) {
        return address instanceof Inet6Address ? compressed(address) : address.getHostAddress();
    }

    // RFC 5952: the longest run of at least two zero groups becomes "::", the first one of equals.
    private static String compressed(InetAddress address) {
        byte[] bytes = address.getAddress();
        int[] groups = new int[8];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
        }
        int longestAt = -1;
        int longest = 1;
        for (int from = 0; from < groups.length; from++) {
            int end = from;
            while (end < groups.length && groups[end] == 0) {
                end++;
            }
            if (end - from > longest) {
                longest = end - from;
                longestAt = from;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < groups.length; i++) {
            if (i == longestAt) {
                text.append("::");
                i += longest - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
