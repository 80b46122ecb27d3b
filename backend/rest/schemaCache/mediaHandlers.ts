import { type QualifiedName, keyOf } from './qualifiedName.ts'

/** The media type of a function whose result type is a domain named like one. */
export interface MediaType {
  /** Name of the domain; `*\/*` handles all types. */
  mime: string
  /** Whether the value is bytea. */
  isBytes: boolean
}

/** An aggregate that renders rows. */
export interface MediaHandler extends MediaType {
  routine: QualifiedName
  /** The table or view whose rows it takes; null for any. */
  row: QualifiedName | null
}

/** Handlers by media type in lower case. */
export interface MediaHandlers {
  /** By key of the table or view. */
  ofTables: Map<string, Map<string, MediaHandler>>
  ofAnyRow: Map<string, MediaHandler>
  /** Converts a row to a GeoJSON feature; null without PostGIS. */
  feature: QualifiedName | null
}

/** Handlers as read from the catalogue. */
export interface MediaHandlerRows {
  handlers: MediaHandler[]
  feature: QualifiedName | null
}

export function indexHandlers({ handlers, feature }: MediaHandlerRows): MediaHandlers {
  const index: MediaHandlers = { ofTables: new Map(), ofAnyRow: new Map(), feature }
  for (const handler of handlers) {
    const name = handler.mime.toLowerCase()
    if (handler.row) {
      const key = keyOf(handler.row.schema, handler.row.name)
      const handlersOfTable = index.ofTables.get(key)
      if (handlersOfTable) handlersOfTable.set(name, handler)
      else index.ofTables.set(key, new Map([[name, handler]]))
    } else index.ofAnyRow.set(name, handler)
  }
  return index
}
