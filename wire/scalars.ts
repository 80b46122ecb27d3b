export type Uuid = string

/** ISO 8601 with a zone, from the server's clock. For display only: `seq` and `rev` define the order. */
export type Timestamp = string
