import { expect, test } from 'vitest'
import { isMarkup } from './isMarkup.ts'

test.each([
  '<!doctype html><p>',
  '<!DOCTYPE note SYSTEM "note.dtd">',
  ' \n<HTML lang=en>',
  '<html xmlns="http://www.w3.org/1999/xhtml">',
  '<?xml version="1.0"?><note/>',
  '<note xmlns="http://example.org">',
  '<s:note\n xmlns:s="http://example.org">',
  '<svg/>',
  '\xef\xbb\xbf<script>',
  '\xff\xfe<\0h\0t\0m\0l\0>\0',
])('%j is markup', (head) => expect(isMarkup(head)).toBe(true))

test.each([
  '',
  'bread and milk',
  '<3 you, <foo@example.org>',
  '<people> of the harbour',
  'the <script> comes later',
  '# <b>bold</b> in Markdown',
  'a < b && b > c',
])('%j is not markup', (head) => expect(isMarkup(head)).toBe(false))
