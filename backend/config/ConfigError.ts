/** An invalid configuration; `message` is printed to the user. */
export class ConfigError extends Error {}
