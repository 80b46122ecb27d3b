import { keyOf } from './named.ts'
import type { Named } from './named.ts'

/** What a function's value is when its type is a domain named as a media type. */
export interface MediaType {
  /** As the domain is named; the one of two stars answers whatever is asked for. */
  mime: string
  /** Sent as the bytes that they are. */
  isBytes: boolean
}

/** An aggregate that makes a content of rows. */
export interface MediaHandler extends MediaType {
  routine: Named
  /** The table or view whose rows it takes; null: any. */
  row: Named | null
}

/** Who makes which media type, by its name in lower case. */
export interface MediaHandlers {
  /** By the key of the table or view. */
  ofTables: Map<string, Map<string, MediaHandler>>
  ofAnyRow: Map<string, MediaHandler>
  /** Makes a GeoJSON feature of a row; null without PostGIS. */
  feature: Named | null
}

/** As the catalogue has them. */
export interface MediaHandlerRows {
  handlers: MediaHandler[]
  feature: Named | null
}

export function indexHandlers({ handlers, feature }: MediaHandlerRows): MediaHandlers {
  const index: MediaHandlers = { ofTables: new Map(), ofAnyRow: new Map(), feature }
  for (const handler of handlers) {
    const name = handler.mime.toLowerCase()
    if (handler.row) {
      const key = keyOf(handler.row.schema, handler.row.name)
      const known = index.ofTables.get(key)
      if (known) known.set(name, handler)
      else index.ofTables.set(key, new Map([[name, handler]]))
    } else index.ofAnyRow.set(name, handler)
  }
  return index
}
