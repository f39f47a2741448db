package io.galgo.server.machine;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/// The few calls of the operating system that the JDK does not offer.
///
/// Each returns what the C function returns, or the negated `errno`. Linux only where a constant is involved; the
/// file calls are used by the ring disk alone, which needs Linux anyway. Any thread may call.
// Calling native code is what this class is for.
@SuppressWarnings("restricted")
public final class Posix {
    private Posix() {}

    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EOPNOTSUPP = 95;
    public static final int EDQUOT = 122;

    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_CLOEXEC = 0x80000;
    private static final int MODE = 0644;
    private static final int SEEK_END = 2;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int AFFINITY_BYTES = 8192;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LOOKUP = LINKER.defaultLookup();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    // One holder a function, so that a start links only what it calls.

    private static final class Open {
        static final MethodHandle HANDLE = LINKER.downcallHandle(
                LOOKUP.findOrThrow("open"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(2),
                Linker.Option.captureCallState("errno"));
    }

    private static final class Close {
        static final MethodHandle HANDLE =
                link("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    private static final class Transfer {
        private static final FunctionDescriptor SHAPE = FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG);
        static final MethodHandle READ = link("pread", SHAPE);
        static final MethodHandle WRITE = link("pwrite", SHAPE);
    }

    private static final class Sync {
        private static final FunctionDescriptor SHAPE =
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        static final MethodHandle ALL = link("fsync", SHAPE);
        static final MethodHandle DATA = link("fdatasync", SHAPE);
    }

    private static final class Size {
        static final MethodHandle SEEK = link(
                "lseek",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
        static final MethodHandle TRUNCATE = link(
                "ftruncate", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
        static final MethodHandle ALLOCATE = link(
                "fallocate",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
    }

    private static final class Mask {
        static final MethodHandle SET =
                link("umask", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    private static final class Names {
        static final MethodHandle RENAME =
                link("rename", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    }

    private static final class Scheduling {
        static final MethodHandle SET_AFFINITY = link(
                "sched_setaffinity",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    }

    private static final class Terminal {
        static final MethodHandle IS_ATTY =
                link("isatty", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    private static final class Words {
        static final MethodHandle STRERROR = LINKER.downcallHandle(
                LOOKUP.findOrThrow("strerror"), FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    }

    private static MethodHandle link(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LOOKUP.findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
    }

    private static int result(int value, MemorySegment state) {
        return value < 0 ? -state.get(ValueLayout.JAVA_INT, ERRNO_AT) : value;
    }

    private static long result(long value, MemorySegment state) {
        return value < 0 ? -state.get(ValueLayout.JAVA_INT, ERRNO_AT) : value;
    }

    private static IllegalStateException unexpected(Throwable thrown) {
        return new IllegalStateException("a call of the operating system failed to start", thrown);
    }

    /// Opens a file for reading and writing; the handle does not survive an exec.
    public static int open(String path, boolean create) {
        return open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0));
    }

    /// Opens a file or directory for reading.
    public static int openForReading(String path) {
        return open(path, O_RDONLY | O_CLOEXEC);
    }

    private static int open(String path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Open.HANDLE.invokeExact(state, arena.allocateFrom(path), flags, MODE), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    public static int close(int handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Close.HANDLE.invokeExact(state, handle), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Reads up to `target.byteSize()` bytes from a position.
    public static long read(int handle, MemorySegment target, long position) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((long) Transfer.READ.invokeExact(state, handle, target, target.byteSize(), position), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Writes up to `source.byteSize()` bytes at a position.
    public static long write(int handle, MemorySegment source, long position) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((long) Transfer.WRITE.invokeExact(state, handle, source, source.byteSize(), position), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Makes a file's or directory's content and attributes durable.
    public static int sync(int handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Sync.ALL.invokeExact(state, handle), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Makes a file's content and its size durable.
    public static int syncData(int handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Sync.DATA.invokeExact(state, handle), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Bytes in a file.
    public static long size(int handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((long) Size.SEEK.invokeExact(state, handle, 0L, SEEK_END), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    public static int truncate(int handle, long size) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Size.TRUNCATE.invokeExact(state, handle, size), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Reserves room in `[0, size)` and leaves the file's size alone.
    public static int allocate(int handle, long size) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Size.ALLOCATE.invokeExact(state, handle, FALLOC_FL_KEEP_SIZE, 0L, size), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    public static int rename(String source, String target) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result(
                    (int) Names.RENAME.invokeExact(state, arena.allocateFrom(source), arena.allocateFrom(target)),
                    state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Binds the calling thread to processors.
    public static int setAffinity(List<Integer> processors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment mask = arena.allocate(AFFINITY_BYTES, 8);
            for (int processor : processors) {
                long at = processor / 8;
                if (at < AFFINITY_BYTES) {
                    byte bits = mask.get(ValueLayout.JAVA_BYTE, at);
                    mask.set(ValueLayout.JAVA_BYTE, at, (byte) (bits | 1 << processor % 8));
                }
            }
            return result((int) Scheduling.SET_AFFINITY.invokeExact(state, 0, (long) AFFINITY_BYTES, mask), state);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// Takes rights away from every file and directory that this process will make.
    ///
    /// @param mask the rights that nobody gets, as in `umask 077`
    public static void setFileMask(int mask) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int _ = (int) Mask.SET.invokeExact(state, mask);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    public static boolean isTerminal(int handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            return result((int) Terminal.IS_ATTY.invokeExact(state, handle), state) == 1;
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /// An error number in the words of the system.
    public static String describe(int errno) {
        try {
            MemorySegment text = ((MemorySegment) Words.STRERROR.invokeExact(errno)).reinterpret(256);
            return text.getString(0);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }
}
