/** A wrong `config.toml`: `message` is a sentence for the person who wrote it. */
export class ConfigError extends Error {}
