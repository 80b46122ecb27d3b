#!/usr/bin/env node
// The command `linnet` of the published package, which contains a built server and a built application.
import { fileURLToPath } from 'node:url'
import { requireNode } from '../setup/requireNode.mjs'

requireNode()
const root = new URL('../..', import.meta.url)
const { runCommand } = await import(new URL('dist/linnet.js', root).href)
process.exitCode = await runCommand(process.argv.slice(2), fileURLToPath(root))
