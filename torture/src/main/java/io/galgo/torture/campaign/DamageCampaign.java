package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.history.OffsetLedger.Stand;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One file of a stopped server is damaged. Then it refuses to start with one clear sentence, or it serves right
/// answers: never other bytes than were acknowledged, no offset of an acknowledged message to a new one, and
/// nothing missing but where the damage is.
final class DamageCampaign implements Campaign {
    private static final long WORK_MILLIS = 1_200;
    private static final long WRITER_BYTES_MAX = 1 << 20;
    private static final Pattern PARTITION = Pattern.compile("streams/(\\d+)/topics/(\\d+)/partitions/(\\d+)/.*");

    private enum Deed {
        FLIP,
        OVERWRITE,
        ZERO,
        TRUNCATE,
        REMOVE
    }

    private final Map<String, Integer> tried = new TreeMap<>();
    private int refusals;
    private int reissues;
    private int partial;
    private int whole;

    @Override
    public String name() {
        return "damage";
    }

    @Override
    public String deed() {
        return "finds one of its files with bits flipped, overwritten, zeroed, cut off or gone when it is started";
    }

    @Override
    public void run(Trial trial) throws IOException, InterruptedException {
        Path golden = trial.newPath("golden");
        Workload workload = new Workload(trial.isGalgo(), trial.random().nextLong());
        Map<String, String> topics;
        Path killed = trial.newPath("killed");
        ServerProcess server = ServerProcess.start(trial.settings(golden));
        try {
            workload.prepare(server, _ -> {});
            Shift shift = Shift.begin(workload, server, "preparation", WorkCampaign.PATIENCE, WRITER_BYTES_MAX);
            WorkCampaign.pause(WORK_MILLIS);
            shift.finish();
            workload.judge(server, "preparation");
            topics = topicIds(server);
            server.kill();
            copy(golden, killed);
            server = server.startAgain();
            workload.judge(server, "preparation");
            server.stop();
        } finally {
            server.close();
        }
        List<Path> originals = List.of(golden, killed);
        while (trial.goesOn()) {
            round(trial, workload, originals.get(trial.round() % 2), golden, topics);
            if (!workload.ledger().violations().isEmpty()) {
                break;
            }
        }
        trial.close(workload.ledger());
        trial.note("damaged: " + tried);
        trial.note(refusals + " starts refused, " + partial + " with a part unavailable, " + whole
                + " with everything as it was");
        trial.note(reissues + " damaged logs of killed servers gave offsets of their lost end again");
        tried.clear();
        reissues = 0;
        refusals = 0;
        partial = 0;
        whole = 0;
    }

    /// Names of topics by their place among the folders.
    private static Map<String, String> topicIds(ServerProcess server) throws IOException {
        Map<String, String> names = new TreeMap<>();
        try (RawClient client = server.client()) {
            long stream = client.stream(Workload.STREAM).orElseThrow().id();
            client.stream(Workload.STREAM)
                    .orElseThrow()
                    .topics()
                    .forEach(topic -> names.put(stream + "/" + topic.id(), topic.name()));
        }
        return names;
    }

    /// @param stopped the copy of a server that was stopped cleanly
    private void round(Trial trial, Workload workload, Path original, Path stopped, Map<String, String> topics)
            throws IOException, InterruptedException {
        Random random = trial.random();
        Path data = trial.newPath("data");
        copy(original, data);
        Path file = chooseFile(data, random);
        String name = data.relativize(file).toString();
        Deed deed = Deed.values()[random.nextInt(Deed.values().length)];
        String what = "round " + trial.round() + ", " + deed + " of " + name + " (" + original.getFileName() + ", "
                + Files.size(file) + " bytes)";
        String done = damage(file, deed, random);
        tried.merge(kind(name), 1, Integer::sum);
        Place hurt = place(name, topics);
        ServerSettings settings = trial.settings(data);
        ServerProcess server;
        try {
            server = ServerProcess.start(settings);
        } catch (AssertionError e) {
            refusals++;
            mustBeOneSentence(workload, what + " " + done, settings);
            trial.discard(data);
            return;
        }
        try {
            trial.recovered(server);
            look(workload, server, hurt, original.equals(stopped), what + " " + done);
        } finally {
            server.close();
        }
        if (workload.ledger().violations().isEmpty()) {
            trial.discard(data);
        }
    }

    /// A server that refuses says why in its last line, and with no trace of its insides.
    private static void mustBeOneSentence(Workload workload, String what, ServerSettings settings)
            throws IOException, InterruptedException {
        String output = ServerProcess.startRefused(settings).output();
        String last = output.strip().lines().reduce("", (_, line) -> line);
        boolean isClear = !output.contains("\tat ") && !output.contains("Exception in thread") && last.contains(": ");
        if (!isClear) {
            workload.ledger().complain(what + ": the refusal is not one clear sentence:\n" + output);
        }
    }

    private void look(Workload workload, ServerProcess server, @Nullable Place hurt, boolean wasStopped, String what)
            throws IOException {
        long missing = 0;
        int before = workload.ledger().violations().size();
        try (RawClient client = server.client()) {
            for (Place place : workload.places()) {
                boolean isHurt = place.equals(hurt);
                List<PolledMessage> found = workload.readWhatIsLeft(client, place);
                missing += workload.ledger().inspect(place, found, isHurt);
            }
            lookAtOffsets(workload, client, hurt, what);
            String complaint = workload.catalog().check(client);
            if (complaint != null) {
                workload.ledger().complain(complaint);
            }
            if (hurt != null) {
                goOn(workload, client, hurt, wasStopped);
            }
        }
        if (workload.ledger().violations().size() > before) {
            workload.ledger().complain("that was " + what);
        }
        if (missing > 0) {
            partial++;
        } else {
            whole++;
        }
    }

    private static void lookAtOffsets(Workload workload, RawClient client, @Nullable Place hurt, String what)
            throws IOException {
        for (Stand stand : workload.offsets().all()) {
            OptionalLong confirmed = workload.offsets().offset(stand);
            OptionalLong found;
            try {
                found = workload.storedOffset(client, stand);
            } catch (RefusedException e) {
                if (stand.place().equals(hurt)) {
                    continue;
                }
                throw e;
            }
            boolean mayMiss = stand.place().equals(hurt) && found.isEmpty();
            if (!found.equals(confirmed) && !mayMiss) {
                workload.ledger()
                        .complain(
                                what + ": " + stand + " is stored as " + found + " and was confirmed as " + confirmed);
            }
        }
    }

    /// A new message goes behind everything that was ever acknowledged, or is refused. When the server was killed,
    /// nothing but the log itself says where it ended, so this cannot be asked of one whose end was damaged.
    private void goOn(Workload workload, RawClient client, Place hurt, boolean wasStopped) throws IOException {
        try {
            Confirmation place = client.send(
                    Workload.STREAM, hurt.topic(), Partitioning.to(hurt.partition()), "sent after the damage");
            long end = workload.ledger().nextOffset(hurt);
            if (place.baseOffset() < end && !wasStopped) {
                reissues++;
            } else if (place.baseOffset() < end) {
                workload.ledger()
                        .complain(hurt + " gave offset " + place.baseOffset() + " to a new message, and was at " + end
                                + " before the damage");
            }
        } catch (RefusedException _) {
            // Better no offset than a wrong one.
        }
    }

    private static String kind(String name) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        String kind = last.replaceAll("\\d{5,}", "N");
        return name.startsWith("streams/")
                ? "partition " + kind
                : name.startsWith("metadata/") ? "metadata " + kind : kind;
    }

    private static @Nullable Place place(String name, Map<String, String> topics) {
        Matcher matcher = PARTITION.matcher(name);
        if (!matcher.matches()) {
            return null;
        }
        String topic = topics.get(matcher.group(1) + "/" + matcher.group(2));
        return topic == null ? null : new Place(topic, Long.parseLong(matcher.group(3)));
    }

    /// Any file, each kind as likely as the next.
    private static Path chooseFile(Path data, Random random) throws IOException {
        Map<String, List<Path>> kinds = new TreeMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = data.relativize(file).toString();
                if (!name.startsWith("runtime") && !name.startsWith("logs") && Files.size(file) > 0) {
                    kinds.computeIfAbsent(kind(name), _ -> new ArrayList<>()).add(file);
                }
            }
        }
        List<List<Path>> choices = List.copyOf(kinds.values());
        List<Path> files = choices.get(random.nextInt(choices.size()));
        return files.get(random.nextInt(files.size()));
    }

    /// Returns where, for people.
    private static String damage(Path file, Deed deed, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int position = random.nextInt(bytes.length);
        switch (deed) {
            case FLIP -> {
                bytes[position] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, bytes);
            }
            case OVERWRITE -> {
                byte[] garbage = new byte[Math.min(1 + random.nextInt(600), bytes.length - position)];
                random.nextBytes(garbage);
                System.arraycopy(garbage, 0, bytes, position, garbage.length);
                Files.write(file, bytes);
            }
            case ZERO -> {
                position = position / 512 * 512;
                Arrays.fill(bytes, position, Math.min(bytes.length, position + 512), (byte) 0);
                Files.write(file, bytes);
            }
            case TRUNCATE -> Files.write(file, Arrays.copyOf(bytes, position));
            case REMOVE -> Files.delete(file);
        }
        return deed == Deed.REMOVE ? "" : "at " + position;
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Path copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }
}
