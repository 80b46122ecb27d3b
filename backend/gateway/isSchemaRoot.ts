import type { ErrorResponse } from './responses.ts'

/** What hosted says to whoever asks the data API to describe itself without a service key. */
export const schemaForbidden: ErrorResponse = {
  status: 401,
  body: {
    message: 'Access to schema is forbidden',
    hint: 'Accessing the schema via the Data API is only allowed using a secret API key.',
  },
}

/** Whether a path is the data API's own, which answers with every table and function there is. */
export function isSchemaRoot(path: string): boolean {
  return /^\/rest\/v1\/*$/.test(path)
}
