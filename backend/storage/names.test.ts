import { expect, test } from 'vitest'
import { requireBucketName, requireObjectName } from './names.ts'

test.each(['a', 'folder/cat.png', "it's (1) & co.txt", 'a/../b', '/leading', 'x'.repeat(1024)])(
  'object name %j is taken',
  (name) => expect(() => requireObjectName(name)).not.toThrow(),
)

test.each(['', 'Grüße.txt', 'a\0b', 'a\nb', 'a\\b', 'a"b', '<b>', '%41', '\u202Egpj.exe', 'x'.repeat(1025)])(
  'object name %j is refused',
  (name) => expect(() => requireObjectName(name)).toThrow(/^Invalid key: /),
)

test.each(['', 'a/b', 'ä', 'x'.repeat(101)])('bucket name %j is refused', (name) => {
  expect(() => requireBucketName(name)).toThrow('Bucket name invalid')
})
