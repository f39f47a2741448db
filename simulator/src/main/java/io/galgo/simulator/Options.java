package io.galgo.simulator;

import io.galgo.simulator.world.FaultClass;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// What the command line asks for.
///
/// @param seed the only one to run, or -1
/// @param firstSeed where to begin, or -1 for one that nobody has chosen
/// @param seeds how many, 0 for no limit
/// @param minutes how long, 0 for no limit
/// @param without faults that are left off
/// @param clients how many, 0 for as many as were drawn
/// @param report a file for the figures, empty for none
record Options(
        long seed,
        long firstSeed,
        long seeds,
        double minutes,
        int threads,
        Set<FaultClass> without,
        int clients,
        String report,
        boolean isHelp) {
    static final String USAGE = """
            usage: ./galgo simulate [OPTION...]

            Runs a whole server in one thread of virtual time, on a disk that lies, a network that breaks and a clock that
            jumps, kills it at any step, and checks that what it promised holds. Each run is drawn from a seed.

              --seed N         run one seed and tell everything about it
              --from N         begin with this seed; otherwise with one that nobody has chosen
              --seeds N        how many seeds to run (default 500, without --minutes)
              --minutes N      run for so long
              --threads N      on so many threads (default: one a processor)
              --report FILE    write the figures to this file too, as Markdown, now and then and at the end
              --without A,B    leave faults off, with --seed
              --clients N      with so many clients, with --seed
              --help           this text

            A run that breaks a promise is made smaller and printed with the command that repeats it. The exit code is 0
            when every promise held, 1 when one was broken or no run ended, 2 when the command is not understood.
            """;

    /// The command line cannot be understood; the message is one sentence.
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    static Options parse(String... arguments) throws Wrong {
        long seed = -1;
        long firstSeed = -1;
        long seeds = 0;
        double minutes = 0;
        int threads = Runtime.getRuntime().availableProcessors();
        Set<FaultClass> without = EnumSet.noneOf(FaultClass.class);
        int clients = 0;
        String report = "";
        for (int i = 0; i < arguments.length; i++) {
            String name = arguments[i];
            if (name.equals("--help") || name.equals("-h")) {
                return new Options(-1, -1, 0, 0, 1, without, 0, "", true);
            }
            int equals = name.indexOf('=');
            String value;
            if (equals >= 0) {
                value = name.substring(equals + 1);
                name = name.substring(0, equals);
            } else if (i + 1 < arguments.length) {
                i++;
                value = arguments[i];
            } else {
                throw new Wrong(name + " is unknown or lacks its value");
            }
            switch (name) {
                case "--seed" -> seed = number(name, value, 0);
                case "--from" -> firstSeed = number(name, value, 0);
                case "--seeds" -> seeds = number(name, value, 1);
                case "--minutes" -> minutes = minutes(value);
                case "--threads" -> threads = (int) Math.min(1024, number(name, value, 1));
                case "--clients" -> clients = (int) Math.min(1000, number(name, value, 1));
                case "--without" -> without = faults(value);
                case "--report" -> report = value;
                default -> throw new Wrong("there is no option " + name);
            }
        }
        if (seed < 0 && !without.isEmpty()) {
            throw new Wrong("--without is of use with --seed only");
        }
        if (seed < 0 && clients > 0) {
            throw new Wrong("--clients is of use with --seed only");
        }
        if (seeds == 0 && minutes == 0) {
            seeds = 500;
        }
        return new Options(seed, firstSeed, seeds, minutes, threads, without, clients, report, false);
    }

    private static long number(String name, String value, long least) throws Wrong {
        try {
            long number = Long.parseLong(value);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Told below.
        }
        throw new Wrong(name + " " + value + " is not a number from " + least + " on");
    }

    private static double minutes(String value) throws Wrong {
        try {
            double minutes = Double.parseDouble(value);
            if (minutes > 0 && minutes < 1e6) {
                return minutes;
            }
        } catch (NumberFormatException _) {
            // Told below.
        }
        throw new Wrong("--minutes " + value + " is not a number above 0");
    }

    private static Set<FaultClass> faults(String value) throws Wrong {
        Set<FaultClass> faults = EnumSet.noneOf(FaultClass.class);
        for (String name : value.split(",", -1)) {
            try {
                faults.add(
                        FaultClass.valueOf(name.strip().toUpperCase(Locale.ROOT).replace('-', '_')));
            } catch (IllegalArgumentException _) {
                throw new Wrong("--without knows no fault " + name + "; there are "
                        + EnumSet.allOf(FaultClass.class)
                                .toString()
                                .replace("[", "")
                                .replace("]", ""));
            }
        }
        return faults;
    }
}
