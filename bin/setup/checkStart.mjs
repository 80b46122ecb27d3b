import { accessSync, constants, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { fail } from './checkout.mjs'
import { startOptions } from './help.mjs'

/** The values of options on a command line; ends the process with a message for an option that does not exist. */
function readOptions(/** @type {string[]} */ args) {
  const known = startOptions()
  /** @type {Map<string, string>} */
  const values = new Map()
  for (let at = 0; at < args.length; at++) {
    const [, name, attached] = /^--([\w-]+)(?:=(.*))?$/.exec(args[at] ?? '') ?? []
    if (name === undefined) continue
    const takesValue = known.get(name)
    if (takesValue === undefined) fail(`linnet start has no option --${name}. See "linnet start --help".`)
    if (!takesValue) continue
    const value = attached ?? args[++at]
    if (value === undefined || value === '') fail(`--${name} needs a value. See "linnet start --help".`)
    values.set(name, value)
  }
  return values
}

function requireFolder(/** @type {string} */ path) {
  let existing = resolve(path)
  const find = () => {
    try {
      return statSync(existing, { throwIfNoEntry: false })
    } catch (error) {
      fail(
        `${path} can't be a folder (${/** @type {NodeJS.ErrnoException} */ (error).code}). Choose another with --data.`,
      )
    }
  }
  let found = find()
  while (found === undefined && existing !== dirname(existing)) {
    existing = dirname(existing)
    found = find()
  }
  if (!found?.isDirectory()) fail(`${existing} is not a folder. Choose another place with --data.`)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    fail(
      `${existing} can't be written by this user. Change its permissions, or choose another folder with --data.`,
    )
  }
}

/** Ends the process with a message if another program uses the port. */
function requireFreePort(/** @type {string} */ host, /** @type {number} */ port) {
  return /** @type {Promise<void>} */ (
    new Promise((done) => {
      const server = createServer()
      server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        // The server, once it is built, explains other errors.
        if (error.code !== 'EADDRINUSE') return done()
        fail(
          `Port ${port} on ${host} is in use by another program. Stop it, or choose another port with --port (0 lets the system choose).`,
        )
      })
      server.listen({ host, port }, () => server.close(() => done()))
    })
  )
}

/**
 * Checks the options of `linnet start` before packages are installed and the server is built, which takes minutes. The
 * built server checks them again, and everything that depends on settings.
 */
export async function checkStart(/** @type {string[]} */ args) {
  const options = readOptions(args)
  const port = options.get('port')
  if (port !== undefined) {
    if (!/^\d+$/.test(port) || Number(port) > 65_535)
      fail(`--port must be a whole number from 0 to 65535, not "${port}".`)
    await requireFreePort(options.get('host') ?? '127.0.0.1', Number(port))
  }
  const data = options.get('data')
  if (data !== undefined) requireFolder(data)
}
