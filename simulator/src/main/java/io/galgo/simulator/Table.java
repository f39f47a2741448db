package io.galgo.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Rows of figures under a title, for a terminal or as Markdown.
///
/// @param title of the whole
/// @param head one name for each column
/// @param rows as long as the head
record Table(String title, List<String> head, List<List<String>> rows) {
    private static final int WIDTH_MAX = 72;
    private static final Pattern NUMBER = Pattern.compile("[0-9][0-9,.]*( %)?");

    static Table of(String title, String... head) {
        return new Table(title, List.of(head), new ArrayList<>());
    }

    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /// With columns of equal width: words to the left, numbers to the right.
    String text() {
        StringBuilder text = new StringBuilder(title).append('\n');
        List<List<String>> lines = new ArrayList<>(List.of(head));
        lines.addAll(rows);
        for (List<String> line : lines) {
            StringBuilder out = new StringBuilder(" ");
            for (int i = 0; i < line.size(); i++) {
                int width = width(lines, i);
                String cell = line.get(i);
                String fill = " ".repeat(Math.max(0, width - cell.length()));
                out.append(' ').append(isNumeric(i) ? fill + cell : cell + fill);
            }
            text.append(out.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static int width(List<List<String>> lines, int column) {
        return Math.min(
                WIDTH_MAX,
                lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0));
    }

    private boolean isNumeric(int column) {
        return column > 0
                && rows.stream()
                        .map(row -> row.get(column))
                        .allMatch(cell -> cell.isEmpty()
                                || cell.equals("-")
                                || cell.equals(Report.NEVER)
                                || NUMBER.matcher(cell).matches());
    }

    String markdown() {
        StringBuilder text = new StringBuilder("## ").append(title).append("\n\n");
        text.append("| ").append(String.join(" | ", head)).append(" |\n|");
        for (int i = 0; i < head.size(); i++) {
            text.append(isNumeric(i) ? "--:|" : "---|");
        }
        text.append('\n');
        for (List<String> row : rows) {
            List<String> cells =
                    row.stream().map(cell -> cell.replace("|", "\\|")).toList();
            text.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return text.toString();
    }
}
