package io.galgo.acceptance.documentation;

import java.util.ArrayList;
import java.util.List;

/// One thing that a reader of a document does.
sealed interface Step {
    /// The line of the document, from 1.
    int line();

    /// Follows an example: a fenced block.
    ///
    /// @param language the first word behind the fence, empty if there is none
    record Example(int line, String language, String text) implements Step {
        String firstLine() {
            return text.lines().findFirst().orElse("").strip();
        }
    }

    /// Presses Ctrl-C, because the prose says so.
    record Interrupt(int line) implements Step {}

    /// The steps of a Markdown document, from top to bottom.
    static List<Step> of(String markdown) {
        List<Step> steps = new ArrayList<>();
        List<String> lines = markdown.lines().toList();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index);
            if (!line.strip().startsWith("```")) {
                if (line.contains("Ctrl-C")) {
                    steps.add(new Interrupt(index + 1));
                }
                continue;
            }
            int start = index;
            int indent = line.indexOf('`');
            StringBuilder text = new StringBuilder();
            for (index++; index < lines.size() && !lines.get(index).strip().equals("```"); index++) {
                String inside = lines.get(index);
                text.append(inside.substring(Math.min(
                                indent, inside.length() - inside.stripLeading().length())))
                        .append('\n');
            }
            if (index == lines.size()) {
                throw new AssertionError("the example in line " + (start + 1) + " does not end");
            }
            String language = line.strip().substring(3).strip().split(" ", -1)[0];
            steps.add(new Example(start + 1, language, text.toString()));
        }
        return steps;
    }
}
