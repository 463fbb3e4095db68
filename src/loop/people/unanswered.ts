/** What a loop remembers of comments: those that are not answered yet, and whom it answered of late. */
import { z } from 'zod';

/** What became of one command of a comment. */
export const outcome = z.strictObject({
  /** As it was written, without what follows it. */
  written: z.string(),
  done: z.boolean(),
  /** What has to be said of it. */
  sentence: z.string().optional(),
  /** What whoever said it lacks for it. */
  lacks: z.string().optional(),
  /** A longer text that it asked for. */
  asks: z.enum(['status', 'help']).optional(),
  /** So many commands below it were not read. */
  unread: z.int().positive().optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** A comment whose commands are not all decided on; it is answered when they are. */
export const unanswered = z.strictObject({
  /** What its answer is named after. */
  key: z.string(),
  outcomes: z.array(outcome),
  /** So many of them are held; unknown until its last command was heard. */
  held: z.int().optional(),
});

/** What somebody without write permission was answered within the hour that began with `since`. */
export const courtesy = z.strictObject({
  id: z.int(),
  since: z.string(),
  comments: z.int(),
  told: z.array(z.enum(['refused', 'status', 'help'])),
});
export type Courtesy = z.infer<typeof courtesy>;

/** What of a loop is about comments. */
export const ofComments = {
  /** Comments whose commands are not all decided on. */
  unanswered: z.array(unanswered).default([]),
  /** What people without write permission were answered of late. */
  courtesies: z.array(courtesy).default([]),
};
