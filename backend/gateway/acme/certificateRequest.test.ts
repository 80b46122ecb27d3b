import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { isPlaceholder } from './acmeFiles.ts'
import { createPlaceholder, renewalIdentifier } from './certificateRequest.ts'

// The example of RFC 9773, appendix A.
const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`

it('the identifier of renewal information is the one of RFC 9773', () => {
  expect(renewalIdentifier(example)).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
  expect(renewalIdentifier('no certificate')).toBeNull()
})

it('the temporary certificate is for the name, and is known as temporary', async () => {
  const { cert } = await createPlaceholder('chat.example.org', Date.parse('2026-12-01T00:00:00Z'))
  const certificate = new X509Certificate(cert)
  expect(certificate.checkHost('chat.example.org')).toBe('chat.example.org')
  expect(isPlaceholder(certificate)).toBe(true)
  expect(renewalIdentifier(cert)).toBeNull()
})
