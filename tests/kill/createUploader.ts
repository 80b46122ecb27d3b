import { adminOf } from '../support/people.ts'
import type { Address } from '../support/people.ts'
import { askStorage, refusalOf } from './askStorage.ts'
import { createPieceSender } from './createPieceSender.ts'
import { contentOf, faultsOfFile, versionIn } from './fileClaims.ts'
import type { FileClaim, Found } from './fileClaims.ts'

const bucket = 'kills'

/** In bytes: enough that a kill meets an upload on its way, and one in pieces several times. */
const sizes = { whole: 200_000, inPieces: 12_000_000 }

export interface Uploader {
  /** Uploads one after the other in three lanes until the server dies under them. */
  uploadUntilCut(server: Address, cut: { done: boolean }): Promise<void>
  /** Reads what was overwritten, and sends again what was not acknowledged, however often that takes. */
  sendWhenBack(server: Address): Promise<void>
  /** Ends the upload in pieces and reads every file. */
  readAll(server: Address): Promise<void>
  /** In sentences. */
  faults(): string[]
  figures(): {
    /** Uploads that the server said yes to. */
    acknowledged: number
    /** How often nobody answered. */
    cut: number
    /** Uploads in pieces that ended though a kill had come between. */
    resumed: number
  }
}

/**
 * Uploads known contents: one name that is overwritten again and again, names that are new, and files in pieces that go
 * on where they stood. Throws what the server refuses while it is well.
 */
export async function createUploader(founded: Address): Promise<Uploader> {
  const { error } = await adminOf(founded).storage.createBucket(bucket)
  if (error) throw error
  const claims: FileClaim[] = []
  const claim = (name: string, size: number): FileClaim => {
    const made = { name, size, acknowledged: 0, attempted: 0 }
    claims.push(made)
    return made
  }
  const faults: string[] = []
  let cut = 0

  /** Sends the next version of a file; false where nobody answered. */
  const upload = async (server: Address, file: FileClaim): Promise<boolean> => {
    file.attempted++
    const response = await askStorage(server, `object/${bucket}/${file.name}`, {
      method: 'POST',
      body: contentOf(file, file.attempted),
      headers: { 'content-type': 'text/plain' },
    })
    if (response === null) return false
    if (!response.ok) throw await refusalOf(response)
    file.acknowledged = file.attempted
    return true
  }

  const overwritten = claim('overwritten', sizes.whole)
  let fresh = claim('new-1', sizes.whole)
  const inPieces = [createPieceSender(bucket, claim('pieces-1', sizes.inPieces))]
  const currentPieces = (): (typeof inPieces)[number] => {
    if (inPieces.at(-1)!.claim.acknowledged > 0)
      inPieces.push(createPieceSender(bucket, claim(`pieces-${inPieces.length + 1}`, sizes.inPieces)))
    return inPieces.at(-1)!
  }
  const faultsInPieces = (): string[] => inPieces.flatMap((sender) => sender.faults)

  /** Null where nobody answered. */
  const find = async (server: Address, file: FileClaim): Promise<Found | null> => {
    const response = await askStorage(server, `object/${bucket}/${file.name}`)
    if (response === null) return null
    if (response.ok) return versionIn(file, Buffer.from(await response.arrayBuffer()))
    const refusal = (await response.clone().json()) as { statusCode?: string }
    if (refusal.statusCode !== '404') throw await refusalOf(response)
    return 'nothing'
  }
  const read = async (server: Address, file: FileClaim): Promise<void> => {
    let found = await find(server, file)
    while (found === null) found = await find(server, file)
    faults.push(...faultsOfFile(file, found))
  }

  return {
    faults: () => [...faults, ...faultsInPieces()],
    figures: () => ({
      acknowledged: claims.reduce((sum, file) => sum + file.acknowledged, 0),
      cut,
      resumed: inPieces.filter((sender) => sender.isResumed() && sender.claim.acknowledged > 0).length,
    }),
    async uploadUntilCut(server, kill) {
      const lane = async (send: () => Promise<boolean>): Promise<void> => {
        while (!kill.done) {
          if (await send()) continue
          cut++
          return
        }
      }
      await Promise.all([
        lane(() => upload(server, overwritten)),
        lane(() => {
          if (fresh.acknowledged > 0) fresh = claim(`new-${claims.length}`, sizes.whole)
          return upload(server, fresh)
        }),
        lane(() => currentPieces().send(server)),
      ])
    },
    async sendWhenBack(server) {
      // Before it is overwritten again, which would hide what the kill did to it.
      await read(server, overwritten)
      while (fresh.acknowledged === 0) await upload(server, fresh)
      while (!(await currentPieces().askWhere(server)));
    },
    async readAll(server) {
      const last = currentPieces()
      while (last.claim.acknowledged === 0 && last.faults.length === 0)
        if (!(await last.send(server))) while (!(await last.askWhere(server)));
      for (const file of claims) await read(server, file)
    },
  }
}
