import { randomBytes } from 'node:crypto'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { DamagedError, decrypt, WrongKeyError } from './decrypt.ts'
import { beforeAll, expect, it } from 'vitest'
import { startEncryption } from './encrypt.ts'
import { chunkBytes } from './payload.ts'
import { decodePublicKey } from './publicKey.ts'

let identity: string
let publicKey: string

beforeAll(async () => {
  identity = await generateIdentity()
  publicKey = await identityToRecipient(identity)
})

async function encryptWhole(plain: Buffer, pieceBytes = 50_000): Promise<Buffer> {
  const encryption = startEncryption(publicKey)
  const parts = [encryption.start]
  for (let at = 0; at < plain.length; at += pieceBytes)
    parts.push(...encryption.update(plain.subarray(at, at + pieceBytes)))
  return Buffer.concat([...parts, ...encryption.final()])
}

async function decryptWhole(
  bytes: Uint8Array,
  identities = [identity],
  pieceBytes = 70_001,
): Promise<Buffer> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      yield Buffer.from(bytes.subarray(at, at + pieceBytes))
  }
  const parts: Buffer[] = []
  for await (const part of decrypt(identities, pieces())) parts.push(part)
  return Buffer.concat(parts)
}

const sizes = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 400_000]

it.each(sizes)('the library decrypts a file of %i bytes', async (size) => {
  const plain = randomBytes(size)
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const decrypted = await decrypter.decrypt(await encryptWhole(plain))
  expect(plain.equals(decrypted)).toBe(true)
})

it.each(sizes)('a file of %i bytes that the library has encrypted is decrypted', async (size) => {
  const plain = randomBytes(size)
  const encrypter = new Encrypter()
  encrypter.addRecipient(publicKey)
  expect((await decryptWhole(await encrypter.encrypt(plain))).equals(plain)).toBe(true)
})

it('a header that arrives byte by byte is read', async () => {
  const plain = randomBytes(10)
  expect((await decryptWhole(await encryptWhole(plain), [identity], 1)).equals(plain)).toBe(true)
})

it('another key does not decrypt a file', async () => {
  const other = await generateIdentity()
  await expect(decryptWhole(await encryptWhole(Buffer.from('x')), [other])).rejects.toThrow(WrongKeyError)
  expect(String(await decryptWhole(await encryptWhole(Buffer.from('x')), [other, identity]))).toBe('x')
})

it('a changed byte and a truncated file are detected', async () => {
  const bytes = await encryptWhole(randomBytes(2 * chunkBytes + 10))
  for (const at of [30, 160, 300, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(decryptWhole(changed)).rejects.toBeInstanceOf(Error)
  }
  const start = bytes.length - 2 * (chunkBytes + 16) - 26
  for (const end of [10, start - 1, start, start + chunkBytes + 16, bytes.length - 26, bytes.length - 1])
    await expect(decryptWhole(bytes.subarray(0, end))).rejects.toThrow(DamagedError)
})

it('texts that are not public keys are recognised', () => {
  expect(decodePublicKey(publicKey)).toHaveLength(32)
  for (const text of ['', 'age1', identity, publicKey.slice(0, -1), `${publicKey}x`])
    expect(decodePublicKey(text)).toBeNull()
})
