/** A command line that can't be understood: `message` is a sentence for who typed it. */
export class UsageError extends Error {}
