import { expect, it } from 'vitest'
import { attachedAddress, requestedFile } from './requestedFile.ts'

const origin = 'https://chat.example'
const path = '6b1f4c1e-0000-4000-8000-00000000000a/6b1f4c1e-0000-4000-8000-00000000000b/file'
const read = (address: string) => requestedFile(new URL(address, origin), origin)

it('parses the URLs that it creates', () => {
  expect(read(attachedAddress(path))).toEqual({ path, name: '', download: false })
  const name = 'Übersicht & 中文 #1?.pdf'
  expect(read(attachedAddress(path, { name, download: true, attempt: 2 }))).toEqual({
    path,
    name,
    download: true,
  })
})

it.each([
  `/attached/${path}/`,
  `/attached/${path.replace('file', 'other')}`,
  `/attached/${path.toUpperCase()}`,
  `/attached/${path.slice(1)}`,
  `/attached/x/../${path}/..`,
  `/attached/${path.replace('/', '%2f')}`,
  `//attached/${path}`,
  `/a/attached/${path}`,
  `https://elsewhere.example/attached/${path}`,
  '/attached/',
  '/',
  '/storage/v1/object/files/x',
])('leaves %s to whom it belongs', (address) => {
  expect(read(address)).toBeNull()
})
