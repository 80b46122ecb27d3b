import { randomUUID } from 'node:crypto'
import type { Answer } from './Asker.ts'
import { fileOutcome } from './fileOutcome.ts'
import { beginning, fileRequest, putting, type FileRequest } from './fileRequests.ts'
import type { Actor, Row } from './readRows.ts'
import type { Outcome } from './tryRest.ts'
import { personOf, type MatrixWorld } from './world.ts'

/** A name in another form, which is no other name to a careless reader. */
const forms: Record<string, (path: string) => string> = {
  'with a slash behind': (path) => `${path}/`,
  'with a slash before': (path) => `/${path}`,
  'with two slashes': (path) => path.replace('/', '//'),
  'in capitals': (path) => path.toUpperCase().replace('FILE', 'file'),
  'with a dot between': (path) => path.replace('/', '/%2E/'),
  'by another way': (path) => `${randomUUID()}%2F..%2F${path}`,
  'with its slashes written': (path) => path.replaceAll('/', '%2F'),
  'with them written twice': (path) => path.replaceAll('/', '%252F'),
  'with nothing behind': (path) => `${path}%00`,
  'with a mark': (path) => path.replace('file', '%E2%80%AEfile'),
  'with a blank': (path) => `${path}%20`,
  'in other letters': (path) => path.replace('file', '%EF%BD%86ile'),
}

type Author = Exclude<Actor, 'anon' | 'half' | 'stale' | 'service'>

/** Objects that cells call by name, each put there by who may. */
export class FileTrials {
  readonly #world: MatrixWorld
  readonly #paths: Record<string, string>
  readonly #made = new Map<string, Promise<string>>()

  private constructor(world: MatrixWorld, paths: Record<string, string>) {
    this.#world = world
    this.#paths = paths
  }

  /** Posts a file in each kind of channel, and puts a face to Ann, Bea and Zoe. */
  static async open(world: MatrixWorld): Promise<FileTrials> {
    const paths: Record<string, string> = { nowhere: `${randomUUID()}/${randomUUID()}/file` }
    const trials = new FileTrials(world, paths)
    const { messages } = world.world
    const post = (name: string, who: Author, channel: string, root: string | null = null) =>
      trials.#post(name, who, world.namesFor(who)[channel]!, root)
    const archive = (on: boolean) =>
      world.world.by('ann', (s) =>
        s.call('archive_channel', { channel: world.namesFor('ann')['stored']!, on }),
      )
    await archive(false)
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
      post('stored', 'ann', 'stored'),
      trials.#putLoose('bea').then((path) => (paths['loose'] = path)),
      ...(['ann', 'bea', 'zoe'] as const).map(async (who) => {
        paths[`face of ${who}`] = await trials.#put(`avatars/${world.world.profile[who]}/face.png`, who)
      }),
      // Cem tries nothing, so that his face stays for whoever else tries to delete it.
      trials.#put(`avatars/${world.world.profile.cem}/face.png`, 'service').then(
        (path) => (paths['face of cem'] = path),
      ),
    ])
    await archive(true)
    const gone = await world.world.service((s) =>
      s.value<string>('select message_id from public.attachments where upload_id = $1', [
        paths['gone']!.split('/')[1],
      ]),
    )
    await world.world.by('bea', (s) => s.call('delete_message', { id: gone }))
    return trials
  }

  /** Puts bytes at `bucket/path`; answers the path. */
  async #put(at: string, who: Actor): Promise<string> {
    const slash = at.indexOf('/')
    const [bucket, path] = [at.slice(0, slash), at.slice(slash + 1)]
    const answer = await this.#send(putting(bucket, path), who)
    if (answer.status !== 200) throw new Error(`Nothing could be put at ${at}: ${answer.text}`)
    return path
  }

  #putLoose(who: Author): Promise<string> {
    return this.#put(`files/${this.#world.world.closed}/${randomUUID()}/file`, who)
  }

  /** Has somebody begin a resumable upload to a channel; answers its address, or one that leads nowhere. */
  async #begin(who: Actor | 'nobody', channel: string): Promise<string> {
    if (who === 'nobody') {
      const id = `files/${channel}/${randomUUID()}/file/${randomUUID()}`
      return `upload/resumable/${Buffer.from(id).toString('base64url')}`
    }
    const { headers, text } = await this.#send(beginning('files', `${channel}/${randomUUID()}/file`), who)
    if (headers['location'] === undefined) throw new Error(`Nothing could be begun: ${text}`)
    return headers['location'].slice('/storage/v1/'.length)
  }

  async #post(name: string, who: Author, channel: string, root: string | null): Promise<void> {
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

  /** Makes an object of that kind: of whoever tries, or of somebody who is named. Null for other kinds. */
  #make(object: string, actor: Actor): Promise<string> | null {
    const names = this.#world.namesFor(actor)
    const person = personOf(actor)
    if (object.startsWith('begun by ')) {
      const [who, channel] = object.slice(9).split(' in ') as [Actor | 'nobody', string]
      return this.#begin(who, names[channel]!)
    }
    if (object.startsWith('loose one of ')) return this.#putLoose(object.slice(13) as Author)
    if (object === 'own face') return this.#put(`avatars/${names['me']}/${randomUUID()}.png`, 'service')
    if (object === 'own loose one') {
      return this.#put(`files/${this.#world.world.lobby}/${randomUUID()}/file`, 'service').then(
        async (path) => {
          const account = person && this.#world.world.account[person]
          await this.#world.world.service(
            (s) => s.rows('update storage.objects set owner_id = $2 where name = $1', [path, account]),
            true,
          )
          return path
        },
      )
    }
    return null
  }

  /** What a cell means by its last words: an object that is there, or a place for a new one. */
  #named(bucket: string, object: string, actor: Actor): string {
    const names = this.#world.namesFor(actor)
    if (object === '–') return ''
    if (object.startsWith('new in ')) return `${names[object.slice(7)]!}/${randomUUID()}/file`
    if (object.startsWith('new face of ')) return `${names[object.slice(12)]!}/${randomUUID()}.png`
    if (object.startsWith('deep face of ')) return `${names[object.slice(13)]!}/a/${randomUUID()}.png`
    if (object.startsWith('thumb of ')) return this.#paths[object.slice(9)]!.replace(/file$/, 'thumb')
    const path = this.#paths[object]
    if (path === undefined) throw new Error(`No object of ${bucket} is called ${object}.`)
    return path
  }

  /** Where the cell's object lies. What no try uses up is made once, since each takes its bytes to disk. */
  async #pathOf(bucket: string, way: string, object: string, actor: Actor): Promise<string> {
    const [, plain, form] = /^(.+), (.+)$/.exec(object) ?? []
    if (form !== undefined) {
      if (forms[form] === undefined) throw new Error(`${form} is no form of a name.`)
      return forms[form](this.#named(bucket, plain!, actor))
    }
    const isOwn = object.startsWith('own ')
    const isTheirs =
      isOwn || actor === 'service' || object.includes(` of ${actor}`) || object.includes(`by ${actor} `)
    const isMoved = way.startsWith('move') && (bucket === 'avatars' || actor === 'service')
    const isSpent = isTheirs && (isMoved || /^(delete|go on|give up)/.test(way))
    const key = isOwn ? `${object} ${actor}` : object
    const made = (isSpent ? undefined : this.#made.get(key)) ?? this.#make(object, actor)
    if (made === null) return this.#named(bucket, object, actor)
    if (!isSpent) this.#made.set(key, made)
    return made
  }

  /** Tries one line of cells; `yes` where the bytes, the words or the deed were had. */
  async try(row: Row, actor: Actor): Promise<Outcome> {
    const [bucket, way, object] = row.said as [string, string, string]
    const path = await this.#pathOf(bucket, way, object, actor)
    const known = { names: this.#world.namesFor(actor), paths: this.#paths }
    const request = fileRequest(bucket, way, path, known)
    const answer = await this.#send(request, actor)
    const named = `${path} ${request.body ?? ''}`
    return { outcome: fileOutcome(way, answer), told: answer.text, named }
  }

  async #send(request: FileRequest, actor: Actor): Promise<Answer> {
    const { asker } = this.#world
    const { method, headers, body } = request
    return asker.ask(`/storage/v1/${request.path}`, this.#world.token(actor), { method, headers, body })
  }
}
