package io.galgo.protocol;

import io.galgo.protocol.reply.OptionDescription;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.GetPollRouting;
import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.SnapshotCompression;
import io.galgo.protocol.request.SnapshotType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Makes random values of every body record, by the types of their components.
public final class RandomBodies {
    private static final String LETTERS = "abcXYZ019-_. äßλ漢😀";

    private final Random random;

    public RandomBodies(Random random) {
        this.random = random;
    }

    public Body body(Class<? extends Body> type) {
        return (Body) value(type, type, "", type);
    }

    private Object value(Class<?> owner, Class<?> type, String name, Type generic) {
        if (type == String.class) {
            boolean isEmptyAllowed = name.equals("password")
                    || name.endsWith("Password")
                    || name.equals("token")
                    || name.equals("context");
            return isEmptyAllowed && random.nextInt(4) == 0 ? "" : text();
        }
        if (type == int.class) {
            return number(owner, name);
        }
        if (type == long.class) {
            return name.equals("count") || (owner.getPackageName().endsWith("request") && name.endsWith("Count"))
                    ? random.nextInt() & 0xFFFF_FFFFL
                    : random.nextLong();
        }
        if (type == boolean.class) {
            return random.nextBoolean();
        }
        if (type == float.class) {
            return random.nextFloat();
        }
        if (type.isEnum()) {
            Object[] constants = type.getEnumConstants();
            return constants[random.nextInt(constants.length)];
        }
        if (type == List.class) {
            Class<?> element = (Class<?>) ((ParameterizedType) generic).getActualTypeArguments()[0];
            List<Object> list = new ArrayList<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                list.add(element == Integer.class ? (Object) random.nextInt() : value(owner, element, "", element));
            }
            return list;
        }
        return composite(type);
    }

    private Object composite(Class<?> type) {
        if (type == Identifier.class) {
            return random.nextBoolean() ? Identifier.of(random.nextInt(3000) - 1000) : Identifier.of(text());
        }
        if (type == Partitioning.class) {
            return switch (random.nextInt(3)) {
                case 0 -> Partitioning.balanced();
                case 1 -> Partitioning.partition(random.nextInt());
                default -> Partitioning.key(bytes(1 + random.nextInt(255)));
            };
        }
        if (type == OptionalPartition.class) {
            return random.nextBoolean() ? OptionalPartition.NONE : OptionalPartition.of(random.nextInt(3000));
        }
        if (type == ConsumerRef.class) {
            return new ConsumerRef(random.nextInt(256), (Identifier) composite(Identifier.class));
        }
        if (type == PollingStrategy.class) {
            return new PollingStrategy(random.nextInt(256), random.nextLong());
        }
        if (type == TypedValue.class) {
            return TypedValue.of(1 + random.nextInt(255), bytes(1 + random.nextInt(20)));
        }
        if (type == Options.class) {
            return options();
        }
        if (type == ByteBuffer.class) {
            return ByteBuffer.wrap(bytes(300)).order(ByteOrder.LITTLE_ENDIAN);
        }
        if (type == BodilessRequest.class) {
            return new BodilessRequest(
                    List.copyOf(BodilessRequest.COMMANDS).get(random.nextInt(BodilessRequest.COMMANDS.size())));
        }
        if (type == SendMessages.class) {
            int position = random.nextInt(100);
            return new SendMessages(
                    (Identifier) composite(Identifier.class),
                    (Identifier) composite(Identifier.class),
                    (Partitioning) composite(Partitioning.class),
                    random.nextInt(),
                    true,
                    (ByteBuffer) composite(ByteBuffer.class),
                    position,
                    random.nextInt(200));
        }
        if (type == GetSnapshot.class) {
            List<SnapshotType> types = random.nextBoolean()
                    ? List.of(SnapshotType.ALL)
                    : List.of(SnapshotType.TEST, SnapshotType.SERVER_LOGS, SnapshotType.PROCESS_LIST);
            return new GetSnapshot(
                    (SnapshotCompression) value(type, SnapshotCompression.class, "", SnapshotCompression.class), types);
        }
        if (type == GetPollRouting.class) {
            PollMessages poll = (PollMessages) record(PollMessages.class);
            return new GetPollRouting(new PollMessages(
                    poll.consumer(),
                    poll.stream(),
                    poll.topic(),
                    poll.partition(),
                    poll.strategy(),
                    poll.count(),
                    true));
        }
        if (type == OptionDescription.class) {
            TypedValue defaultValue = (TypedValue) composite(TypedValue.class);
            return new OptionDescription(
                    text(), defaultValue.kind(), random.nextBoolean() ? defaultValue : null, text());
        }
        if (type == TopicDetails.class) {
            TopicRecord topic = (TopicRecord) record(TopicRecord.class);
            List<PartitionRecord> partitions = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                partitions.add((PartitionRecord) record(PartitionRecord.class));
            }
            return new TopicDetails(
                    new TopicRecord(
                            topic.id(),
                            topic.createdAtMicros(),
                            partitions.size(),
                            topic.messageExpiryMicros(),
                            topic.compressionAlgorithm(),
                            topic.topicBytesMax(),
                            topic.sizeBytes(),
                            topic.messagesCount(),
                            topic.name(),
                            topic.explicitOptions(),
                            topic.derivedOptions()),
                    partitions);
        }
        return record(type);
    }

    private Object record(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        if (components == null) {
            throw new IllegalArgumentException(type + " is not known to make random values of");
        }
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            types[i] = component.getType();
            values[i] = isNullable(component.getAnnotatedType()) && random.nextInt(3) == 0
                    ? null
                    : value(type, component.getType(), component.getName(), component.getGenericType());
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    private static boolean isNullable(AnnotatedElement type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private int number(Class<?> owner, String name) {
        if (name.endsWith("Port")) {
            return random.nextInt(65_536);
        }
        if (name.equals("status") || name.equals("transportCode")) {
            return random.nextInt(256);
        }
        if (name.equals("global")) {
            return random.nextInt(1 << 10);
        }
        if (name.equals("flags")) {
            return random.nextInt(owner == Permissions.OnStream.class ? 1 << 6 : 1 << 4);
        }
        return random.nextInt();
    }

    private Options options() {
        Map<String, Options.Entry> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            String key = text();
            entries.put(key, new Options.Entry(key, (TypedValue) composite(TypedValue.class)));
        }
        return new Options(List.copyOf(entries.values()));
    }

    /// A name: short mostly, sometimes as long as is allowed.
    private String text() {
        int[] letters = LETTERS.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        int codePoints = random.nextInt(20) == 0 ? 63 : 1 + random.nextInt(12);
        for (int i = 0; i < codePoints; i++) {
            text.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return text.toString();
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
