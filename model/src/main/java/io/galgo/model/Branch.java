package io.galgo.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One legal answer to a request, and what it means for the model.
///
/// @param effect checks the answer's content and changes the model. Called without an answer when none arrived and
///     the request is taken to be carried out
record Branch(String outcome, Effect effect) {
    interface Effect {
        void apply(@Nullable Answer answer);
    }

    static Branch to(String outcome) {
        return new Branch(outcome, _ -> {});
    }

    static List<Branch> only(String outcome) {
        return List.of(to(outcome));
    }

    static List<Branch> deny(int code) {
        return only(Answer.deny(code));
    }

    static List<Branch> reject(int code) {
        return only(Answer.reject(code));
    }

    static List<Branch> evict(int reason) {
        return only(Answer.evict(reason));
    }

    static List<Branch> ok(Effect effect) {
        return List.of(new Branch(Answer.OK, effect));
    }

    /// Success with an empty body.
    static List<Branch> empty() {
        return ok(answer -> {
            if (answer != null) {
                Difference.unless(!answer.body().hasRemaining(), "the body should be empty");
            }
        });
    }
}
