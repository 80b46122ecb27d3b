import { randomUUID } from 'node:crypto'
import type { HttpResponse } from './PipelinedClient.ts'
import { fileOutcome } from './fileOutcome.ts'
import { createUploadRequest, fileRequest, putRequest, type FileRequest } from './fileRequests.ts'
import type { Actor, Row } from './readMatrix.ts'
import type { Outcome } from './checkRest.ts'
import { personOf, type PermissionFixture } from './fixture.ts'

/** Variants of a name that a careless implementation takes for the same name. */
const nameVariants: Record<string, (path: string) => string> = {
  'with a trailing slash': (path) => `${path}/`,
  'with a leading slash': (path) => `/${path}`,
  'with two slashes': (path) => path.replace('/', '//'),
  'in upper case': (path) => path.toUpperCase().replace('FILE', 'file'),
  'with a dot segment': (path) => path.replace('/', '/%2E/'),
  'with a parent segment': (path) => `${randomUUID()}%2F..%2F${path}`,
  'with encoded slashes': (path) => path.replaceAll('/', '%2F'),
  'with doubly encoded slashes': (path) => path.replaceAll('/', '%252F'),
  'with a trailing NUL': (path) => `${path}%00`,
  'with a direction mark': (path) => path.replace('file', '%E2%80%AEfile'),
  'with a trailing space': (path) => `${path}%20`,
  'in fullwidth letters': (path) => path.replace('file', '%EF%BD%86ile'),
}

type Author = Exclude<Actor, 'anon' | 'half' | 'stale' | 'service'>

/** Objects that rows refer to by name, each uploaded by somebody permitted. */
export class FileChecks {
  readonly #fixture: PermissionFixture
  readonly #paths: Record<string, string>
  readonly #created = new Map<string, Promise<string>>()

  private constructor(fixture: PermissionFixture, paths: Record<string, string>) {
    this.#fixture = fixture
    this.#paths = paths
  }

  /** Posts a file in each kind of channel, and uploads avatars of Ann, Bea and Zoe. */
  static async open(fixture: PermissionFixture): Promise<FileChecks> {
    const paths: Record<string, string> = { nowhere: `${randomUUID()}/${randomUUID()}/file` }
    const checks = new FileChecks(fixture, paths)
    const { messages } = fixture.base
    const post = (name: string, who: Author, channel: string, root: string | null = null) =>
      checks.#post(name, who, fixture.namesFor(who)[channel]!, root)
    const archive = (on: boolean) =>
      fixture.base.committedAs('ann', (s) =>
        s.call('archive_channel', { channel: fixture.namesFor('ann')['stored']!, on }),
      )
    await archive(false)
    await Promise.all([
      post('lobby', 'bea', 'lobby'),
      // In a thread from before Gus joined.
      post('early', 'bea', 'lobby', messages.old),
      post('side', 'bea', 'side'),
      post('closed', 'bea', 'closed'),
      post('attic', 'ann', 'attic'),
      post('direct', 'ann', 'direct'),
      post('elsewhere', 'zoe', 'elsewhere'),
      post('gone', 'bea', 'lobby'),
      post('stored', 'ann', 'stored'),
      checks.#putUnattached('bea').then((path) => (paths['unattached'] = path)),
      ...(['ann', 'bea', 'zoe'] as const).map(async (who) => {
        paths[`avatar of ${who}`] = await checks.#put(`avatars/${fixture.base.profile[who]}/face.png`, who)
      }),
      // Cem deletes nothing, so that his avatar stays for others who try to delete it.
      checks.#put(`avatars/${fixture.base.profile.cem}/face.png`, 'service').then(
        (path) => (paths['avatar of cem'] = path),
      ),
      ...(['emoji', 'emoji elsewhere'] as const).map(async (name) => {
        const names = fixture.namesFor('ann')
        const at =
          name === 'emoji' ? `${names['workspace']}/${names['crest']}` : `${names['other']}/${names['badge']}`
        paths[name] = await checks.#put(`avatars/${at}`, 'service')
      }),
      ...(['workspace', 'other'] as const).map(async (name) => {
        const workspace = fixture.namesFor('ann')[name]!
        const path = await checks.#put(`avatars/${workspace}/${randomUUID()}.webp`, 'service')
        paths[name === 'other' ? 'icon elsewhere' : 'icon'] = path
        await fixture.base.service(
          (s) => s.rows('update public.workspaces set icon = $2 where id = $1', [workspace, path]),
          true,
        )
      }),
      checks.#put(`avatars/${fixture.namesFor('ann')['workspace']}/${randomUUID()}.webp`, 'ann').then(
        (path) => (paths['icon without a use'] = path),
      ),
      checks.#put(`previews/${fixture.namesFor('ann')['shown']}`, 'service').then(
        (path) => (paths['preview in closed'] = path),
      ),
      checks.#put(`avatars/${fixture.namesFor('ann')['workspace']}/${randomUUID()}`, 'ann').then(
        (path) => (paths['emoji without a row'] = path),
      ),
    ])
    await archive(true)
    const gone = await fixture.base.service((s) =>
      s.value<string>('select message_id from public.attachments where upload_id = $1', [
        paths['gone']!.split('/')[1],
      ]),
    )
    await fixture.base.committedAs('bea', (s) => s.call('delete_message', { id: gone }))
    return checks
  }

  /** Uploads an object at `bucket/path`; returns the path. */
  async #put(at: string, who: Actor): Promise<string> {
    const slash = at.indexOf('/')
    const [bucket, path] = [at.slice(0, slash), at.slice(slash + 1)]
    const answer = await this.#send(putRequest(bucket, path), who)
    if (answer.status !== 200) throw new Error(`No object could be uploaded at ${at}: ${answer.text}`)
    return path
  }

  #putUnattached(who: Author): Promise<string> {
    return this.#put(`files/${this.#fixture.base.closed}/${randomUUID()}/file`, who)
  }

  /** Creates a resumable upload to a channel; returns its URL path, or one that does not exist. */
  async #createUpload(who: Actor | 'nobody', channel: string): Promise<string> {
    if (who === 'nobody') {
      const id = `files/${channel}/${randomUUID()}/file/${randomUUID()}`
      return `upload/resumable/${Buffer.from(id).toString('base64url')}`
    }
    const { headers, text } = await this.#send(
      createUploadRequest('files', `${channel}/${randomUUID()}/file`),
      who,
    )
    if (headers['location'] === undefined) throw new Error(`No upload could be created: ${text}`)
    return headers['location'].slice('/storage/v1/'.length)
  }

  async #post(name: string, who: Author, channel: string, root: string | null): Promise<void> {
    const id = randomUUID()
    this.#paths[name] = await this.#put(`files/${channel}/${id}/file`, who)
    await this.#fixture.base.committedAs(who, (s) =>
      s.call('send_message', {
        id: randomUUID(),
        channel,
        body: 'Picture',
        thread_root: root,
        attachments: [{ id, name: 'picture.png', width: 1, height: 1, thumb: false }],
      }),
    )
  }

  /** Creates an object of that kind: of the caller, or of the named person. Null for other kinds. */
  #create(object: string, actor: Actor): Promise<string> | null {
    const names = this.#fixture.namesFor(actor)
    const person = personOf(actor)
    if (object.startsWith('upload by ')) {
      const [who, channel] = object.slice(10).split(' in ') as [Actor | 'nobody', string]
      return this.#createUpload(who, names[channel]!)
    }
    if (object.startsWith('unattached file of ')) return this.#putUnattached(object.slice(19) as Author)
    if (object === 'own avatar') return this.#put(`avatars/${names['me']}/${randomUUID()}.png`, 'service')
    if (object === 'own unattached file') {
      return this.#put(`files/${this.#fixture.base.lobby}/${randomUUID()}/file`, 'service').then(
        async (path) => {
          const account = person && this.#fixture.base.account[person]
          await this.#fixture.base.service(
            (s) => s.rows('update storage.objects set owner_id = $2 where name = $1', [path, account]),
            true,
          )
          return path
        },
      )
    }
    return null
  }

  /** The path of an object: an existing one, or a new name. */
  #resolve(bucket: string, object: string, actor: Actor): string {
    const names = this.#fixture.namesFor(actor)
    if (object === '–') return ''
    if (object.startsWith('new in ')) return `${names[object.slice(7)]!}/${randomUUID()}/file`
    if (object.startsWith('new emoji in ')) return `${names[object.slice(13)]!}/${randomUUID()}`
    if (object.startsWith('new icon in ')) return `${names[object.slice(12)]!}/${randomUUID()}.webp`
    if (object.startsWith('new avatar of ')) return `${names[object.slice(14)]!}/${randomUUID()}.png`
    if (object.startsWith('nested avatar of ')) return `${names[object.slice(17)]!}/a/${randomUUID()}.png`
    if (object.startsWith('thumb of ')) return this.#paths[object.slice(9)]!.replace(/file$/, 'thumb')
    const path = this.#paths[object]
    if (path === undefined) throw new Error(`No object of ${bucket} is called ${object}.`)
    return path
  }

  /** The path of a row's object. Objects that no case consumes are created once, since each costs a write to disk. */
  async #pathOf(bucket: string, operation: string, object: string, actor: Actor): Promise<string> {
    const [, plain, variant] = /^(.+), (.+)$/.exec(object) ?? []
    if (variant !== undefined) {
      if (nameVariants[variant] === undefined) throw new Error(`${variant} is no variant of a name.`)
      return nameVariants[variant](this.#resolve(bucket, plain!, actor))
    }
    const isOwn = object.startsWith('own ')
    const isTheirs =
      isOwn || actor === 'service' || object.includes(` of ${actor}`) || object.includes(`by ${actor} `)
    const isMoved = operation.startsWith('move') && (bucket === 'avatars' || actor === 'service')
    const isConsumed = isTheirs && (isMoved || /^(delete|resume|terminate)/.test(operation))
    const key = isOwn ? `${object} ${actor}` : object
    const created = (isConsumed ? undefined : this.#created.get(key)) ?? this.#create(object, actor)
    if (created === null) return this.#resolve(bucket, object, actor)
    if (!isConsumed) this.#created.set(key, created)
    return created
  }

  /** Executes one row; `yes` where bytes or names were returned or the operation was done. */
  async check(row: Row, actor: Actor): Promise<Outcome> {
    const [bucket, operation, object] = row.target as [string, string, string]
    const path = await this.#pathOf(bucket, operation, object, actor)
    const existing = { names: this.#fixture.namesFor(actor), paths: this.#paths }
    const request = fileRequest(bucket, operation, path, existing)
    const answer = await this.#send(request, actor)
    const named = `${path} ${request.body ?? ''}`
    return { outcome: fileOutcome(operation, answer), received: answer.text, sent: named }
  }

  async #send(request: FileRequest, actor: Actor): Promise<HttpResponse> {
    const { client } = this.#fixture
    const { method, headers, body } = request
    return client.request(`/storage/v1/${request.path}`, this.#fixture.token(actor), {
      method,
      headers,
      body,
    })
  }
}
