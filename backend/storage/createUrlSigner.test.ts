import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { createUrlSigner } from './createUrlSigner.ts'

const secret = 'a secret of forty characters for the tests'
const signer = createUrlSigner(secret)

test('a link opens one object for one purpose', async () => {
  const token = await signer.sign({ url: 'b/x', scope: 'download' }, 60)
  await expect(signer.verify(token, 'b/x', 'download')).resolves.toMatchObject({ url: 'b/x' })
  await expect(signer.verify(token, 'b/y', 'download')).rejects.toThrow('Invalid signature')
  await expect(signer.verify(token, 'b/x', 'upload')).rejects.toThrow('Token is not scoped for upload')
})

test('an expired link, a foreign key and an access token are refused', async () => {
  const expired = await signer.sign({ url: 'b/x', scope: 'download' }, -1)
  const foreign = await createUrlSigner('another').sign({ url: 'b/x', scope: 'download' }, 60)
  const access = await new SignJWT({ url: 'b/x', scope: 'download', role: 'service_role' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
  for (const token of [expired, foreign, access, '', 'x.y.z']) {
    await expect(signer.verify(token, 'b/x', 'download')).rejects.toMatchObject({ code: 'InvalidJWT' })
  }
})
