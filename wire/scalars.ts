export type Uuid = string

/** ISO 8601 with a zone, made by the server's clock. It dates, it never orders. */
export type Timestamp = string
