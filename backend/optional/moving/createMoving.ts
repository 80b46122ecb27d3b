import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Hono, type Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { fileNameFields } from '../../../wire/fileNameFields.ts'
import type { ExportLink, WorkspaceExports } from '../../../wire/moving.ts'
import type { Logger } from '../../logging/logger.ts'
import { callCommand, type LocalApi } from '../../runtime/callCommand.ts'
import { isUuid } from '../../runtime/isUuid.ts'
import { readRequestBody } from '../../runtime/readRequestBody.ts'
import { parseRange } from '../../storage/object/reading/parseRange.ts'
import { createCommandRunner, type ReadDiskSpace } from './createCommandRunner.ts'
import { createExports } from './createExports.ts'
import { MovingRefused, refusals } from './MovingRefused.ts'

export interface MovingOptions extends LocalApi {
  dataDir: string
  /** The command line of `linnet`: a program and its first arguments. */
  command: readonly string[]
  diskSpace: ReadDiskSpace
  /** Milliseconds since 1970. */
  now?: () => number
  log: Logger
}

export interface MovingService {
  /** The routes, which the gateway mounts at /server/v1. */
  app: Hono<ServiceEnv>
  /** Ends the command that runs. */
  close(): Promise<void>
}

/** The owner who sent a request. */
interface Owner {
  workspace: string
  profileId: string
  storedBytes: number
}

const maxBodyBytes = 64 * 1024
const sweepIntervalMs = 10 * 60_000

/**
 * Creates the routes by which owners export their workspace. The commands of the command line do the work, in processes of their
 * own. `public.check_moving` decides who is an owner.
 */
export async function createMoving(o: MovingOptions): Promise<MovingService> {
  const app = new Hono<ServiceEnv>()
  const runner = createCommandRunner({ ...o, installation: ['--data', o.dataDir] })
  const exports = await createExports({
    dir: join(o.dataDir, 'moving'),
    runner,
    now: o.now ?? Date.now,
  })

  /** The owner who sent the request; else the response of the database that refuses it, also if they have to authenticate again. */
  const authorize = async (
    c: Context<ServiceEnv>,
    workspace: unknown,
    starts: 'export' | 'download' | null = null,
  ): Promise<Owner | Response> => {
    const { status, text } = await callCommand(o, c.get('bearer'), 'check_moving', {
      workspace: typeof workspace === 'string' && isUuid(workspace) ? workspace : null,
      starts,
    })
    if (status !== 200)
      return new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8' } })
    const found = JSON.parse(text) as { profile_id: string; stored_bytes: number }
    return {
      workspace: (workspace as string).toLowerCase(),
      profileId: found.profile_id,
      storedBytes: found.stored_bytes,
    }
  }

  const readBody = async (c: Context<ServiceEnv>): Promise<{ workspace?: unknown }> => {
    const tooLarge = (): Error => refusals.invalid('The request is too large.')
    const length = c.req.header('content-length')
    const bytes = await readRequestBody(c.req.raw, length, maxBodyBytes, tooLarge)
    try {
      return (JSON.parse(bytes.toString()) ?? {}) as { workspace?: unknown }
    } catch {
      throw refusals.invalid('The request is not valid JSON.')
    }
  }

  app.get('/exports', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    const found: WorkspaceExports = { export: exports.find(owner.workspace), isBusy: runner.isBusy() }
    return c.json(found)
  })

  app.post('/exports', async (c) => {
    const { workspace } = await readBody(c)
    if (runner.isBusy()) {
      const owner = await authorize(c, workspace)
      if (owner instanceof Response) return owner
      throw refusals.busy()
    }
    const owner = await authorize(c, workspace, 'export')
    if (owner instanceof Response) return owner
    const started = await exports.start(owner)
    o.log.info('moving.export_started', { workspace: owner.workspace, profile: owner.profileId })
    return c.json({ export: started, isBusy: true } satisfies WorkspaceExports, 202)
  })

  app.delete('/exports/:id', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    await exports.remove(owner.workspace, c.req.param('id'))
    return c.json({ export: null, isBusy: false } satisfies WorkspaceExports)
  })

  app.post('/exports/:id/link', async (c) => {
    const owner = await authorize(c, (await readBody(c)).workspace, 'download')
    if (owner instanceof Response) return owner
    const id = c.req.param('id')
    const token = exports.createLink(owner.workspace, id)
    return c.json({
      path: `/server/v1/exports/${id}/file?apikey=${o.publishableKey}&token=${token}`,
    } satisfies ExportLink)
  })

  app.get('/exports/:id/file', async (c) => {
    const { path, size, name } = await exports.openLink(c.req.param('id'), c.req.query('token') ?? '')
    const range = parseRange(c.req.header('range'), size)
    const headers = {
      'accept-ranges': 'bytes',
      'content-type': 'application/zip',
      'content-disposition': `attachment${fileNameFields(name)}`,
    }
    if (range === 'unsatisfiable')
      return c.body(null, 416, { ...headers, 'content-range': `bytes */${size}` })
    const { first, last } = range ?? { first: 0, last: size - 1 }
    const file = createReadStream(path, { start: first, end: last })
    return c.body(Readable.toWeb(file) as ReadableStream, range === null ? 200 : 206, {
      ...headers,
      'content-length': String(last - first + 1),
      ...(range !== null && { 'content-range': `bytes ${first}-${last}/${size}` }),
    })
  })

  app.onError((error, c) => {
    if (error instanceof MovingRefused) return c.json(error.body(), error.status)
    o.log.error('moving.request_failed', { reason: error.message })
    return c.json({ message: 'An unexpected error occurred' }, 500)
  })

  const sweep = (): void => {
    exports.sweep().catch((error: Error) => o.log.error('moving.sweep_failed', { reason: error.message }))
  }
  sweep()
  const timer = setInterval(sweep, sweepIntervalMs).unref()

  return {
    app,
    async close() {
      clearInterval(timer)
      await runner.close()
    },
  }
}
