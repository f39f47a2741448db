package io.galgo.acceptance.differential;

/// A field in which a reply is not what was recorded.
record Difference(String place, String request, String command, String field, String expected, String got) {
    @Override
    public String toString() {
        return place + "  " + request + "\n      " + field + "\n        expected  " + expected + "\n        got       "
                + got;
    }
}
