import { expect, it } from 'vitest'
import { fromStoredCredential, toStoredCredential, type StoredCredential } from './storedCredential.ts'

const credential = {
  id: '-_8AAQ',
  publicKey: Uint8Array.from([0xa5, 0xff, 0x01]),
  signCount: 7,
  transports: ['usb'],
  backupEligible: true,
  backedUp: false,
  aaguid: 'ee882879-721c-4913-9775-3dfcce97072a',
}

it('restores a credential from JSON', () => {
  const stored = JSON.parse(JSON.stringify(toStoredCredential(credential))) as StoredCredential
  expect(fromStoredCredential(stored)).toEqual(credential)
})

it('reads credentials of hosted Supabase', () => {
  // Fields as in the Go library go-webauthn (`webauthn.Credential`), bytes in base64.
  const hosted = {
    id: '+/8AAQ==',
    publicKey: 'pf8B',
    attestationType: 'none',
    attestationFormat: 'none',
    transport: ['usb'],
    flags: { userPresent: true, userVerified: true, backupEligible: true, backupState: false },
    authenticator: { AAGUID: '7ogoeXIcSROXdT38zpcHKg==', signCount: 7, cloneWarning: false, attachment: '' },
    attestation: { clientDataJSON: '', object: '' },
  }
  expect(fromStoredCredential(hosted)).toEqual(credential)
})

it.each([null, {}, { id: 7 }, { id: 'AA==' }])('returns null for %j', (stored) => {
  expect(fromStoredCredential(stored as StoredCredential | null)).toBeNull()
})
