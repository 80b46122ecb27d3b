import { expect, it } from 'vitest'
import { mediaTypeOf } from './mediaTypeOf.ts'

it('the end of a name determines the media type', () => {
  expect(['a.PNG', 'notes.tar.gz', 'plan.docx', 'README', '.png', 'a.constructor'].map(mediaTypeOf)).toEqual([
    'image/png',
    'application/gzip',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/octet-stream',
    'application/octet-stream',
    'application/octet-stream',
  ])
})
