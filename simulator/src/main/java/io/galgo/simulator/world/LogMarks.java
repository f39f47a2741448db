package io.galgo.simulator.world;

import java.util.LinkedHashMap;
import java.util.Map;

/// Rare branches of the server that show in its log, as coverage marks.
final class LogMarks {
    private static final Map<String, String> MARKS = new LinkedHashMap<>();

    static {
        MARKS.put("metadata journal metadata/", "the end of the metadata journal was cut at a start");
        MARKS.put("the metadata journal failed", "the metadata journal failed");
        MARKS.put("the metadata journal works again", "the metadata journal worked again without a restart");
        MARKS.put("takes no more messages", "a log was fenced by a failed disk");
        MARKS.put("takes messages again", "a log that was full took messages again");
        MARKS.put("damage in ", "damage inside a log was found at a start");
        MARKS.put("is damaged at offset", "a read met damage");
        MARKS.put("goes on at offset", "offsets were left out after a power loss");
        MARKS.put(".log is cut at byte", "the torn end of a log was cut");
        MARKS.put("the log is read without it", "a superblock was damaged");
        MARKS.put("set aside", "segments without a superblock were set aside");
        MARKS.put("could not be opened", "a partition could not be opened");
        MARKS.put("is not served", "a partition was refused");
        MARKS.put("files of a deleted partition", "files of a deleted partition were removed at a start");
        MARKS.put("the purge of", "a purge was completed at a start");
        MARKS.put("header of the consumer offsets", "the header of consumer offsets was torn");
        MARKS.put("records of the consumer offsets", "records of consumer offsets were damaged");
        MARKS.put("the end of the consumer offsets", "the end of consumer offsets was torn");
        MARKS.put("could not write a consumer offset", "a consumer offset could not be written");
        MARKS.put("sent nothing for too long", "a silent client left its groups");
        MARKS.put("could not be removed", "what was not needed could not be removed");
        MARKS.put(" is closed: ", "the server closed a connection");
    }

    private LogMarks() {}

    static void declare(Marks marks) {
        MARKS.values().forEach(marks::declare);
    }

    static void onLine(Marks marks, String line) {
        for (Map.Entry<String, String> mark : MARKS.entrySet()) {
            if (line.contains(mark.getKey())) {
                marks.hit(mark.getValue());
            }
        }
    }
}
