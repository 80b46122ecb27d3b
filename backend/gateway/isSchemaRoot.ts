import type { ErrorResponse } from './responses.ts'

/** The hosted service's response to a request for the OpenAPI description without a secret key. */
export const schemaForbidden: ErrorResponse = {
  status: 401,
  body: {
    message: 'Access to schema is forbidden',
    hint: 'Accessing the schema via the Data API is only allowed using a secret API key.',
  },
}

/** Whether a path is the root of the data API, which lists all tables and functions. */
export function isSchemaRoot(path: string): boolean {
  return /^\/rest\/v1\/*$/.test(path)
}
