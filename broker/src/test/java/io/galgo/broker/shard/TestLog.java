package io.galgo.broker.shard;

import java.util.ArrayList;
import java.util.List;

/// Remembers what was said.
final class TestLog implements EventLog {
    final List<String> infos = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    final List<String> errors = new ArrayList<>();

    @Override
    public void info(String line) {
        infos.add(line);
    }

    @Override
    public void warn(String line) {
        warnings.add(line);
    }

    @Override
    public void error(String line) {
        errors.add(line);
    }

    /// Every line of every kind.
    List<String> lines() {
        List<String> lines = new ArrayList<>(infos);
        lines.addAll(warnings);
        lines.addAll(errors);
        return lines;
    }
}
