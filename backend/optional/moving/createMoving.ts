import { createReadStream } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Hono, type Context } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { fileNameFields } from '../../../wire/fileNameFields.ts'
import type {
  ExportLink,
  ImportProduct,
  PreviewImport,
  StartImport,
  WorkspaceExports,
  WorkspaceImport,
  WorkspaceImports,
} from '../../../wire/moving.ts'
import type { Logger } from '../../logging/logger.ts'
import { callCommand, noWorkspace, type LocalApi } from '../../runtime/callCommand.ts'
import { isUuid } from '../../runtime/isUuid.ts'
import { readRequestBody } from '../../runtime/readRequestBody.ts'
import { parseRange } from '../../storage/object/reading/parseRange.ts'
import { TusError, tusErrors } from '../../storage/resumable/TusError.ts'
import { products } from '../import/products.ts'
import { createCommandRunner, type ReadDiskSpace } from './createCommandRunner.ts'
import { createExports } from './createExports.ts'
import { createImports } from './createImports.ts'
import { createUploads, type PendingUpload } from './createUploads.ts'
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
  app: Hono<MovingEnv>
  /** Ends the command that runs. */
  close(): Promise<void>
}

/** Bytes of uploads pass through Node's own streams. */
type MovingEnv = ServiceEnv & { Bindings: { incoming: IncomingMessage } }
type MovingContext = Context<MovingEnv>

/** The owner who sent a request. */
interface Owner {
  workspace: string
  profileId: string
  storedBytes: number
}

/** Of choices for all people and channels of a large export. */
const maxBodyBytes = 8 * 1024 * 1024
/** The size of the largest export that is uploaded: 20 GB. */
const maxUploadBytes = 20_000_000_000
const sweepIntervalMs = 10 * 60_000

/**
 * Creates the routes by which owners export their workspace and import exports of other products. Each request runs a command of
 * the command line in a process of its own. `public.check_moving` decides who is an owner.
 */
export async function createMoving(o: MovingOptions): Promise<MovingService> {
  const app = new Hono<MovingEnv>()
  const runner = createCommandRunner({ ...o, installation: ['--data', o.dataDir] })
  const now = o.now ?? Date.now
  const dir = join(o.dataDir, 'moving')
  const exports = await createExports({ dir, runner, now })
  const imports = await createImports({ dir, runner, products: importProducts, now })
  const uploads = await createUploads({
    dir: join(dir, 'uploads'),
    maxBytes: maxUploadBytes,
    requireSpace: runner.requireSpace,
    now,
  })

  /** The owner who sent the request; else the response of the database that refuses it, also if they have to authenticate again. */
  const authorize = async (
    c: MovingContext,
    workspace: unknown,
    starts: 'export' | 'download' | 'import' | null = null,
  ): Promise<Owner | Response> => {
    const named = typeof workspace === 'string' && isUuid(workspace) ? workspace : noWorkspace
    // An open page fetches the progress every few seconds, and an upload has many chunks. Only the start of an export, a download or an
    // import counts against the rate limit.
    const { status, text } = await callCommand(
      o,
      c.get('bearer'),
      'check_moving',
      { workspace: named, starts },
      { isRead: starts === null },
    )
    if (status !== 200)
      return new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8' } })
    const found = JSON.parse(text) as { profile_id: string; stored_bytes: number }
    return {
      workspace: (workspace as string).toLowerCase(),
      profileId: found.profile_id,
      storedBytes: found.stored_bytes,
    }
  }

  const readBody = async (c: MovingContext): Promise<Record<string, unknown>> => {
    const tooLarge = (): Error => refusals.invalid('The request is too large.')
    const length = c.req.header('content-length')
    const bytes = await readRequestBody(c.req.raw, length, maxBodyBytes, tooLarge)
    try {
      return (JSON.parse(bytes.toString()) ?? {}) as Record<string, unknown>
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

  const describeImports = (workspace: string): WorkspaceImports => {
    const upload = uploads.find(workspace)
    return {
      import: upload ? describeUpload(upload) : imports.find(workspace),
      isBusy: runner.isBusy(),
      products: importProducts,
      maxBytes: maxUploadBytes,
    }
  }

  app.get('/imports', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    return owner instanceof Response ? owner : c.json(describeImports(owner.workspace))
  })

  app.post('/imports/uploads', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    const { workspace, profileId } = owner
    if (imports.isRunning(workspace)) throw refusals.busy()
    const { id } = await uploads.create({ incoming: c.env.incoming, id: randomUUID(), workspace, profileId })
    await imports.remove(workspace)
    return c.body(null, 201, {
      ...tusHeaders,
      'upload-offset': '0',
      location: `/server/v1/imports/uploads/${id}?workspace=${workspace}`,
    })
  })

  /** The upload of a request; null if it is complete. */
  const findUpload = (workspace: string, id: string): PendingUpload | null => {
    const upload = uploads.find(workspace)
    if (upload?.id === id) return upload
    if (imports.find(workspace)?.id === id) return null
    throw tusErrors.notFound()
  }

  // Hono handles HEAD as GET, and leaves out the body.
  app.get('/imports/uploads/:id', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    const upload = findUpload(owner.workspace, c.req.param('id'))
    const size = String(upload?.size ?? imports.find(owner.workspace)!.size)
    const offset = upload === null ? size : String(await uploads.interrupt(upload))
    return c.body(null, 200, { ...tusHeaders, 'upload-offset': offset, 'upload-length': size })
  })

  app.patch('/imports/uploads/:id', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    const upload = findUpload(owner.workspace, c.req.param('id'))
    if (upload === null) throw tusErrors.alreadyComplete()
    const target = await imports.prepareFile(owner.workspace)
    const offset = await uploads.receive(c.env.incoming, upload, target)
    if (offset === upload.size) await imports.begin(upload)
    return c.body(null, 204, { ...tusHeaders, 'upload-offset': String(offset) })
  })

  app.delete('/imports/:id', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'))
    if (owner instanceof Response) return owner
    const { workspace } = owner
    if (uploads.find(workspace)?.id === c.req.param('id')) await uploads.remove(workspace)
    else await imports.remove(workspace, c.req.param('id'))
    return c.json(describeImports(workspace))
  })

  app.post('/imports/:id/preview', async (c) => {
    const body: Partial<PreviewImport> = await readBody(c)
    const owner = await authorize(c, body.workspace)
    if (owner instanceof Response) return owner
    const { product, options } = body
    if (typeof product !== 'string' || !isTexts(options ?? {})) throw refusals.invalid('A product is needed.')
    await imports.preview(owner.workspace, c.req.param('id'), { product, options: options ?? {} })
    return c.json(describeImports(owner.workspace), 202)
  })

  app.post('/imports/:id/start', async (c) => {
    const body: Partial<StartImport> = await readBody(c)
    // Before the entry of the audit log.
    const found = runner.isBusy() ? await authorize(c, body.workspace) : null
    if (found instanceof Response) return found
    if (found !== null) throw refusals.busy()
    const owner = await authorize(c, body.workspace, 'import')
    if (owner instanceof Response) return owner
    const { workspace, profileId } = owner
    await imports.start(workspace, c.req.param('id'), {
      profileId,
      choices: body.choices ?? null,
      name: typeof body.name === 'string' ? body.name.slice(0, 200).trim() : '',
      fetchesFiles: body.fetchesFiles === true,
    })
    o.log.info('moving.import_started', { workspace, profile: profileId })
    return c.json(describeImports(workspace), 202)
  })

  app.post('/imports/:id/cancel', async (c) => {
    const owner = await authorize(c, (await readBody(c))['workspace'])
    if (owner instanceof Response) return owner
    imports.cancel(owner.workspace, c.req.param('id'))
    return c.json(describeImports(owner.workspace), 202)
  })

  for (const report of ['preview', 'receipt'] as const)
    app.get(`/imports/:id/${report}`, async (c) => {
      const owner = await authorize(c, c.req.query('workspace'))
      if (owner instanceof Response) return owner
      const path = imports.reportOf(owner.workspace, c.req.param('id'), report)
      return c.body(Readable.toWeb(createReadStream(path)) as ReadableStream, 200, {
        'content-type': 'application/json; charset=utf-8',
      })
    })

  app.onError((error, c) => {
    if (error instanceof TusError) return c.text(error.message, error.status as 400, error.headers)
    if (error instanceof MovingRefused) return c.json(error.body(), error.status)
    o.log.error('moving.request_failed', { reason: error.message })
    return c.json({ message: 'An unexpected error occurred' }, 500)
  })

  const sweep = (): void => {
    Promise.all([exports.sweep(), imports.sweep(), uploads.sweep()]).catch((error: Error) =>
      o.log.error('moving.sweep_failed', { reason: error.message }),
    )
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

const importProducts: ImportProduct[] = Object.entries(products).map(([product, { label, options }]) => ({
  product,
  label,
  options: Object.entries(options).flatMap(([name, { help, choices }]) =>
    choices === undefined ? [] : [{ name, help, choices }],
  ),
}))

const tusHeaders = { 'tus-resumable': '1.0.0', 'cache-control': 'no-store' }

const isTexts = (options: object): boolean =>
  Object.values(options).every((value) => typeof value === 'string')

const describeUpload = ({ id, fileName, size, offset }: PendingUpload): WorkspaceImport => ({
  id,
  fileName,
  size,
  uploadedBytes: offset,
  state: 'uploading',
  product: null,
  options: {},
  fetchesFiles: false,
  name: '',
  startedBy: null,
  startedAt: null,
  messages: 0,
  totalMessages: null,
  failure: null,
  reason: '',
  expiresAt: '',
})
