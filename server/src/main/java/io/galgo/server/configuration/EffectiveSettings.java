package io.galgo.server.configuration;

import io.galgo.server.configuration.Settings.Setting;
import java.util.List;
import java.util.Map;

/// Every value that counts, to be written to `current_config.toml` (spec config 10).
public final class EffectiveSettings {
    private final Settings settings;

    EffectiveSettings(Settings settings) {
        this.settings = settings;
    }

    /// The document, without secrets.
    ///
    /// @param bound addresses that replace configured ones, by key, for example `tcp.address`
    /// @param unserved transports that are switched on and do not run; here they are off
    public String toToml(Map<String, String> bound, List<String> unserved) {
        StringBuilder document = new StringBuilder("# What this server runs with. Written at each start.\n");
        String table = "";
        for (Setting setting : settings.all()) {
            String path = setting.path();
            if (setting.key().isSecret() || path.indexOf('[') >= 0) {
                continue;
            }
            table = openTable(document, table, setting.key().table());
            if (setting.key().name().equals("enabled") && unserved.contains(table)) {
                document.append("enabled = false\n");
            } else {
                append(document, setting, bound);
            }
        }
        appendElements(document, "http.jwt.trusted_issuers", bound);
        appendElements(document, "cluster.nodes", bound);
        return document.toString();
    }

    private static String openTable(StringBuilder document, String open, String wanted) {
        if (!open.equals(wanted)) {
            document.append("\n[").append(wanted).append("]\n");
        }
        return wanted;
    }

    private void appendElements(StringBuilder document, String list, Map<String, String> bound) {
        for (int i = 0; i < settings.elementsCount(list); i++) {
            String element = list + "[" + i + "]";
            document.append("\n[[").append(list).append("]]\n");
            appendKeysOf(document, element, list + "[]", bound);
            if (list.equals("cluster.nodes")) {
                appendSelectors(document, element, bound);
                document.append("\n[").append(list).append(".ports]\n");
                appendKeysOf(document, element + ".ports", list + "[].ports", bound);
            }
        }
    }

    // Written inline, so that the list is complete before the table of ports begins.
    private void appendSelectors(StringBuilder document, String element, Map<String, String> bound) {
        String list = element + ".advertised_addresses";
        document.append("advertised_addresses = [");
        for (int i = 0; i < settings.elementsCount(list); i++) {
            StringBuilder selector = new StringBuilder();
            appendKeysOf(selector, list + "[" + i + "]", "cluster.nodes[].advertised_addresses[]", bound);
            document.append(i == 0 ? "{ " : ", { ")
                    .append(selector.toString().strip().replace("\n", ", "))
                    .append(" }");
        }
        document.append("]\n");
    }

    private void appendKeysOf(StringBuilder document, String table, String pattern, Map<String, String> bound) {
        for (Key key : Key.ALL) {
            Setting setting = key.table().equals(pattern) ? settings.find(table + "." + key.name()) : null;
            if (setting != null) {
                append(document, setting, bound);
            }
        }
    }

    private static void append(StringBuilder document, Setting setting, Map<String, String> bound) {
        String address = bound.get(setting.path());
        document.append(setting.key().name()).append(" = ");
        if (address != null) {
            document.append(Kind.quoted(address));
        } else if (setting.key().kind() == Kind.CPU_ALLOCATION) {
            document.append(allocation(setting));
        } else {
            document.append(setting.key().kind().print(setting.value()));
        }
        document.append('\n');
    }

    // Printed as it was given; a plain count as a number.
    private static String allocation(Setting setting) {
        String given = setting.shown();
        String bare =
                given.startsWith("\"") ? given.substring(1, given.length() - 1).strip() : given;
        return bare.matches("[0-9]+") ? bare : Kind.quoted(bare);
    }
}
