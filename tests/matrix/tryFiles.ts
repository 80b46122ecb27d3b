import { randomUUID } from 'node:crypto'
import type { Answer } from './Asker.ts'
import type { Actor, Row } from './readRows.ts'
import type { Outcome } from './tryRest.ts'
import { personOf, type MatrixWorld } from './world.ts'

const PNG = { 'content-type': 'image/png' }
const OVER = { ...PNG, 'x-upsert': 'true' }
const BYTES = 'not much of a picture'

/** Objects that cells call by name, each put there by who may. */
export class FileTrials {
  readonly #world: MatrixWorld
  readonly #paths: Record<string, string>

  private constructor(world: MatrixWorld, paths: Record<string, string>) {
    this.#world = world
    this.#paths = paths
  }

  /** Posts a file in each kind of channel, and puts a face to Bea and Zoe. */
  static async open(world: MatrixWorld): Promise<FileTrials> {
    const paths: Record<string, string> = { nowhere: `${randomUUID()}/${randomUUID()}/file` }
    const trials = new FileTrials(world, paths)
    const { messages } = world.world
    const post = (name: string, who: Exclude<Actor, 'anon'>, channel: string, root: string | null = null) =>
      trials.#post(name, who, world.namesFor(who)[channel]!, root)
    await Promise.all([
      post('lobby', 'bea', 'lobby'),
      // In a thread from before Gus came.
      post('early', 'bea', 'lobby', messages.old),
      post('side', 'bea', 'side'),
      post('closed', 'bea', 'closed'),
      post('attic', 'ann', 'attic'),
      post('direct', 'ann', 'direct'),
      post('elsewhere', 'zoe', 'elsewhere'),
      post('gone', 'bea', 'lobby'),
      trials.#put(`files/${world.world.closed}/${randomUUID()}/file`, 'bea').then(
        (path) => (paths['loose'] = path),
      ),
      ...(['bea', 'zoe'] as const).map(async (who) => {
        paths[`face of ${who}`] = await trials.#put(`avatars/${world.world.profile[who]}/face.png`, who)
      }),
    ])
    const gone = await world.world.service((s) =>
      s.value<string>('select message_id from public.attachments where upload_id = $1', [
        paths['gone']!.split('/')[1],
      ]),
    )
    await world.world.by('bea', (s) => s.call('delete_message', { id: gone }))
    return trials
  }

  /** Puts bytes at `bucket/path`; answers the path. */
  async #put(at: string, who: Actor | 'service'): Promise<string> {
    const { asker, backend } = this.#world
    const token = who === 'service' ? backend.serviceRoleKey : this.#world.token(who)
    const answer = await asker.ask(`/storage/v1/object/${at}`, token, {
      method: 'POST',
      body: BYTES,
      headers: OVER,
    })
    if (answer.status !== 200) throw new Error(`Nothing could be put at ${at}: ${answer.text}`)
    return at.slice(at.indexOf('/') + 1)
  }

  async #post(
    name: string,
    who: Exclude<Actor, 'anon'>,
    channel: string,
    root: string | null,
  ): Promise<void> {
    const id = randomUUID()
    this.#paths[name] = await this.#put(`files/${channel}/${id}/file`, who)
    await this.#world.world.by(who, (s) =>
      s.call('send_message', {
        id: randomUUID(),
        channel,
        body: 'Look',
        thread_root: root,
        attachments: [{ id, name: 'picture.png', width: 1, height: 1, thumb: false }],
      }),
    )
  }

  /** What a cell means by its last words: an object that is there, one made for this try, or a place for a new one. */
  async #pathOf(bucket: string, object: string, actor: Actor): Promise<string> {
    const names = this.#world.namesFor(actor)
    const person = personOf(actor)
    if (object === 'own loose one') {
      const path = await this.#put(`files/${this.#world.world.lobby}/${randomUUID()}/file`, 'service')
      const account = person && this.#world.world.account[person]
      await this.#world.world.service(
        (s) => s.rows('update storage.objects set owner_id = $2 where name = $1', [path, account]),
        true,
      )
      return path
    }
    if (object === 'own face') return this.#put(`avatars/${names['me']}/${randomUUID()}.png`, 'service')
    if (object.startsWith('new in ')) return `${names[object.slice(7)]!}/${randomUUID()}/file`
    if (object.startsWith('new face of ')) return `${names[object.slice(12)]!}/${randomUUID()}.png`
    if (object.startsWith('deep face of ')) return `${names[object.slice(13)]!}/a/${randomUUID()}.png`
    if (object.startsWith('thumb of ')) return this.#paths[object.slice(9)]!.replace(/file$/, 'thumb')
    const path = this.#paths[object]
    if (path === undefined) throw new Error(`No object of ${bucket} is called ${object}.`)
    return path
  }

  /** Tries one line of cells; `yes` where the bytes, the words or the deed were had. */
  async try(row: Row, actor: Actor): Promise<Outcome> {
    const [bucket, way, object] = row.said as [string, string, string]
    const path = await this.#pathOf(bucket, object, actor)
    const answer = await this.#ask(bucket, way, path, actor)
    return { outcome: outcomeOf(way, answer), told: answer.text, named: path }
  }

  #ask(bucket: string, way: string, path: string, actor: Actor): Promise<Answer> {
    const at = `${bucket}/${path}`
    const folder = path.slice(0, path.lastIndexOf('/'))
    const beside =
      bucket === 'avatars' ? `${folder}/${randomUUID()}.png` : `${path.split('/')[0]}/${randomUUID()}/file`
    const json = (method: string, of: string, body: object) =>
      this.#world.asker.ask(`/storage/v1/${of}`, this.#world.token(actor), {
        method,
        body: JSON.stringify(body),
      })
    const plain = (method: string, of: string, headers: Record<string, string> = {}, body?: string) =>
      this.#world.asker.ask(`/storage/v1/${of}`, this.#world.token(actor), { method, headers, body })
    const keys = { bucketId: bucket, sourceKey: path, destinationKey: beside }
    switch (way) {
      case 'read':
        return plain('GET', `object/authenticated/${at}`)
      case 'read in the open':
        return plain('GET', `object/public/${at}`)
      case 'head':
        return plain('HEAD', `object/${at}`)
      case 'info':
        return plain('GET', `object/info/${at}`)
      case 'render':
        return plain('GET', `render/image/authenticated/${at}?width=10`)
      case 'list':
        return json('POST', `object/list/${bucket}`, { prefix: folder, limit: 100 })
      case 'list everything':
        return json('POST', `object/list-v2/${bucket}`, { prefix: '', limit: 100 })
      case 'sign':
        return json('POST', `object/sign/${at}`, { expiresIn: 60 })
      case 'sign many':
        return json('POST', `object/sign/${bucket}`, { expiresIn: 60, paths: [path] })
      case 'sign an upload':
        return json('POST', `object/upload/sign/${at}`, {})
      case 'upload':
        return plain('POST', `object/${at}`, PNG, BYTES)
      case 'upload over':
        return plain('POST', `object/${at}`, OVER, BYTES)
      case 'replace':
        return plain('PUT', `object/${at}`, PNG, BYTES)
      case 'move':
        return json('POST', 'object/move', keys)
      case 'copy':
        return json('POST', 'object/copy', keys)
      case 'delete':
        return plain('DELETE', `object/${at}`)
      case 'delete many':
        return json('DELETE', `object/${bucket}`, { prefixes: [path] })
      default:
        throw new Error(`${way} is no way to use a bucket`)
    }
  }
}

/** As in the cells: `yes`, `–` (nothing listed, nothing taken), `denied` by a policy, `taken`,
 * `not_found`. */
function outcomeOf(way: string, { status, text }: Answer): string {
  if (status < 300) {
    if (way === 'sign many') return /"signedURL":"/.test(text) ? 'yes' : '–'
    if (text === '[]' || /"folders":\[\],"objects":\[\]/.test(text)) return '–'
    return 'yes'
  }
  if (way === 'head') return 'not_found'
  const { message, error } = JSON.parse(text) as { message: string; error: string }
  if (/row-level security|Access denied/.test(message)) return 'denied'
  if (error === 'Duplicate') return 'taken'
  // Whoever comes as far as the bytes, which are no picture, was let in.
  if (way === 'render' && /source image is invalid/.test(message)) return 'yes'
  return /not.found/i.test(`${error} ${message}`) ? 'not_found' : `${status} ${error} ${message}`
}
