import { Client, type ClientConfig } from 'pg'
import { StartError } from '../server/StartError.ts'

const connectTimeoutMs = 15_000

/**
 * A connection to the database that `url` names, with TLS as psql would use it: `sslmode` has libpq's
 * meaning, and without it a remote database is connected to by TLS where it offers that. The caller ends it.
 * With `pipeline`, statements are sent without waiting for the result of the one before. Throws StartError, which names the
 * database but never the password.
 */
export async function connectToUrl(
  url: string,
  applicationName: string,
  { pipeline = false } = {},
): Promise<Client> {
  const create = (url: string): Client => createClient(url, { application_name: applicationName, pipeline })
  const plain = create(url)
  if (/[?&]sslmode=/.test(url) || isLocalHost(plain.host)) return connect(plain)
  try {
    return await connect(create(withParameter(url, 'sslmode=prefer')))
  } catch (error) {
    // The driver implements "prefer" as TLS without verifying the certificate, but not the fallback to plain text.
    const { message } = (error as Error).cause as Error
    if (message !== 'The server does not support SSL connections') throw error
    return connect(plain)
  }
}

const withParameter = (url: string, parameter: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${parameter}`

/** A socket directory or this machine, where TLS protects nothing. */
const isLocalHost = (host: string): boolean => /^(\/|localhost$|127\.|::1$)/.test(host)

function createClient(url: string, options: ClientConfig): Client {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new StartError(
      'The address of a database looks like postgresql://user:password@host:5432/postgres.',
    )
  }
  try {
    return new Client({
      connectionString: withParameter(url, 'uselibpqcompat=true'),
      ...options,
      connectionTimeoutMillis: connectTimeoutMs,
    })
  } catch (error) {
    // No URL after all, a certificate that can't be read, or a mode of TLS without its certificate.
    throw new StartError(`The address of the database can't be used: ${(error as Error).message}`)
  }
}

async function connect(client: Client): Promise<Client> {
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    const { user, host, port, database } = client
    // An AggregateError, for a name with several addresses, has no message of its own.
    const { message } = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error)
    throw new StartError(`${database} at ${host}:${port} can't be opened as ${user}: ${message}.`, {
      cause: error,
    })
  }
}
