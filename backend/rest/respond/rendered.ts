/** An answer to be sent. Header names as written, a list is sent as so many headers; a body of null is none. */
export interface Rendered {
  status: number
  /** Where SQL has chosen its own. */
  statusText?: string
  headers: Record<string, string | string[]>
  body: string | Uint8Array | null
}
