/** An invalid configuration; `message` is printed to the user. */
export class ConfigError extends Error {
  /** @param sentence its full stop can be left out, as it may end with a value */
  constructor(sentence: string) {
    super(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)
  }
}
