package io.galgo.storage;

/// Something out of the ordinary that a node met with its files, connections or memory, of a kind that an operator
/// may want to count.
public enum Incident {
    // Metadata.
    JOURNAL_END_CUT("the torn end of the metadata journal was cut at a start"),
    JOURNAL_FAILED("the metadata journal failed"),
    JOURNAL_RECOVERED("the metadata journal worked again without a restart"),
    SNAPSHOT_FAILED("a snapshot of the metadata could not be written"),
    METADATA_SUPERBLOCK_DAMAGED("a copy of the metadata superblock was damaged"),

    // Partitions as a whole.
    PARTITION_UNOPENED("a partition could not be opened"),
    PARTITION_OPENED_LATE("a partition that could not be opened at the start was opened later"),
    PARTITION_REFUSED("a partition was refused"),
    DELETED_PARTITION_REMOVED("files of a deleted partition were removed at a start"),
    PURGE_COMPLETED("a purge was completed at a start"),
    NOT_REMOVED("what was not needed could not be removed"),

    // Their logs.
    LOG_FENCED("a log took no messages any more"),
    LOG_RECOVERED("a log took messages again without a restart"),
    LOG_END_CUT("the torn end of a log was cut"),
    DAMAGE_FOUND("damage inside a log was found at a start"),
    DAMAGE_READ("a read met damage"),
    READ_FAILED("a read failed"),
    OFFSETS_LEFT_OUT("offsets were left out"),
    SUPERBLOCK_DAMAGED("the superblock of a log was damaged"),
    SEGMENTS_SET_ASIDE("segments without a superblock were set aside"),
    INDEX_NOT_WRITTEN("an index could not be written"),
    SEGMENTS_KEPT("segments could not be deleted yet"),

    // Consumer offsets.
    OFFSETS_HEADER_DAMAGED("the header of consumer offsets was torn or damaged"),
    OFFSETS_DAMAGED("records of consumer offsets were damaged"),
    OFFSETS_END_TORN("the end of consumer offsets was torn"),
    OFFSETS_FENCED("consumer offsets could not be written"),
    OFFSETS_RECOVERED("consumer offsets could be written again without a restart"),
    AUTOMATIC_OFFSET_LOST("an automatic offset was not written"),

    // Connections and memory.
    CLIENT_SILENT("a silent client left its groups"),
    MEMORY_SHORT("a frame was refused for want of memory");

    private final String text;

    Incident(String text) {
        this.text = text;
    }

    /// What happened, as the beginning of a sentence.
    public String text() {
        return text;
    }
}
