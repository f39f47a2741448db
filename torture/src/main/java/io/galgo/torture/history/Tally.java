package io.galgo.torture.history;

/// What was counted in a history. Everything but the first, the third and the last but one has to be 0.
///
/// @param acknowledged messages that were confirmed
/// @param lost confirmed or read, and not there any more
/// @param forgone confirmed on a promise that ended with the power, and not there any more
/// @param changed there with other bytes
/// @param reissued offsets that were given to a second message
/// @param foreign messages that nobody sent, that were refused, or that had been gone
/// @param torn batches of which a part is there
/// @param gaps offsets missing where none may be
/// @param unavailable messages that were answered with an error for damage done to their file
/// @param unanswered requests that got no answer although their connection stayed
public record Tally(
        long acknowledged,
        long lost,
        long forgone,
        long changed,
        long reissued,
        long foreign,
        long torn,
        long gaps,
        long unavailable,
        long unanswered) {
    public static final Tally NONE = new Tally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    public Tally plus(Tally other) {
        return new Tally(
                acknowledged + other.acknowledged,
                lost + other.lost,
                forgone + other.forgone,
                changed + other.changed,
                reissued + other.reissued,
                foreign + other.foreign,
                torn + other.torn,
                gaps + other.gaps,
                unavailable + other.unavailable,
                unanswered + other.unanswered);
    }

    @Override
    public String toString() {
        return acknowledged + " messages acknowledged, " + lost + " lost, " + changed + " changed, " + reissued
                + " offsets issued twice, " + foreign + " never sent, " + torn + " batches torn, " + gaps + " gaps, "
                + unanswered + " requests unanswered";
    }
}
