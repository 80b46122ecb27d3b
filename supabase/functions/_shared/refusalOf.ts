/** The error of a command, as the data API returns it. */
export interface DatabaseError {
  message: string
  /** `PT` and the HTTP status for what a command refuses. */
  code: string
}

type Refusal = [status: number, name: string]

/** Responses with Slack's names, by the name of the error. */
export type Refusals = Record<string, Refusal>

/** The response to an error: what is listed, another missing right as `action_prohibited`, or `service_error`. */
export function refusalOf({ message, code }: DatabaseError, listed: Refusals): Refusal {
  return listed[message] ?? (code === 'PT403' ? [403, 'action_prohibited'] : [500, 'service_error'])
}
