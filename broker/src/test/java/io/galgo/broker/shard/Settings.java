package io.galgo.broker.shard;

import java.lang.reflect.RecordComponent;

/// Variations of settings for tests.
final class Settings {
    private Settings() {}

    /// The settings with one component replaced.
    static BrokerSettings with(BrokerSettings settings, String name, Object value) {
        RecordComponent[] components = BrokerSettings.class.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        boolean isFound = false;
        try {
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                boolean isMeant = components[i].getName().equals(name);
                values[i] = isMeant ? value : components[i].getAccessor().invoke(settings);
                isFound |= isMeant;
            }
            if (!isFound) {
                throw new AssertionError("no setting " + name);
            }
            return BrokerSettings.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
