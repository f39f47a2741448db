package io.galgo.server.configuration;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// The known name that somebody probably meant (spec config 2, "Unknown keys and names").
final class NearestName {
    private NearestName() {}

    /// The known name with the smallest edit distance up to max(3, 30 % of the longer name), else one with the same
    /// last word elsewhere, else none.
    ///
    /// @param separator what stands between the words of a name, `.` or `_`
    static @Nullable String of(String given, Collection<String> known, char separator) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int bound = Math.max(3, Math.max(given.length(), candidate.length()) * 3 / 10);
            int distance = distance(given, candidate);
            if (distance <= bound && distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        if (nearest != null) {
            return nearest;
        }
        String lastWord = given.substring(given.lastIndexOf(separator) + 1);
        for (String candidate : known) {
            if (candidate.substring(candidate.lastIndexOf(separator) + 1).equals(lastWord)) {
                return candidate;
            }
        }
        return null;
    }

    private static int distance(String source, String target) {
        int[] above = new int[target.length() + 1];
        for (int j = 0; j <= target.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= source.length(); i++) {
            int[] row = new int[target.length() + 1];
            row[0] = i;
            for (int j = 1; j <= target.length(); j++) {
                int replaced = above[j - 1] + (source.charAt(i - 1) == target.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[target.length()];
    }
}
