import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartError } from '../postgres/server/StartError.ts'
import { readManifest, type Manifest } from './installedReleases.ts'

/** Where a version comes from. */
export type Source =
  /** A checkout with its sources, which is built first. */
  | { kind: 'checkout'; path: string }
  /** An unpacked package with its dependencies. */
  | { kind: 'directory'; path: string }
  /** What `npm run pack` has written, or `npm pack` for a version of the registry. */
  | { kind: 'tarball'; path: string }
  /** A version in the registry of npm. */
  | { kind: 'registry'; name: string }

/** A source whose files can be read. */
export interface OpenSource {
  source: Source
  /** The directory of the package, or of the checkout. */
  root: string
  manifest: Manifest
  /** The file to install; null if the directory is copied. */
  tarball: string | null
}

const versionPattern = /^(?:linnet@)?(\d+\.\d+\.\d+(?:-[\w.]+)?|[a-z]+)$/

/**
 * Finds what an argument of `linnet upgrade` names. Without an argument it is the program itself: its checkout, or the newest
 * version of its package. Throws StartError.
 */
export function findSource(argument: string | undefined, programRoot: string): Source {
  if (argument === undefined) {
    return existsSync(join(programRoot, 'package-lock.json'))
      ? { kind: 'checkout', path: programRoot }
      : { kind: 'registry', name: 'linnet@latest' }
  }
  const path = resolve(argument)
  if (existsSync(path)) {
    if (statSync(path).isFile()) return { kind: 'tarball', path }
    if (readManifest(path) === null) throw new StartError(`${path} does not contain Linnet.`)
    return { kind: existsSync(join(path, 'package-lock.json')) ? 'checkout' : 'directory', path }
  }
  const version = versionPattern.exec(argument)?.[1]
  if (version !== undefined) return { kind: 'registry', name: `linnet@${version}` }
  throw new StartError(
    `There is no file or directory ${path}, and "${argument}" is not a version such as 1.2.3 or "latest".`,
  )
}

/** Runs a program to its end and returns its output. Throws StartError with the last lines of its errors. */
export function runProgram(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)))
    child.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'it is not installed' : error.message
      reject(new StartError(`${command} can't be run: ${reason}.`))
    })
    child.once('close', (code) => {
      if (code === 0) resolvePromise(stdout)
      else
        reject(
          new StartError(`${command} ${args[0]} failed: ${stderr.trim().split('\n').slice(-5).join('\n')}`),
        )
    })
  })
}

/** Unpacks a tarball of npm into a directory, and returns the directory of the package in it. Throws StartError. */
export async function unpackPackage(tarball: string, workDir: string): Promise<string> {
  const unpacked = join(workDir, 'unpacked')
  mkdirSync(unpacked)
  await runProgram('tar', ['-xzf', tarball, '-C', unpacked], workDir)
  return join(unpacked, 'package')
}

/**
 * Makes the files of a source readable: downloads a version of the registry, and unpacks a tarball. Throws StartError.
 * @param workDir an existing directory for downloaded and unpacked files
 */
export async function openSource(source: Source, workDir: string): Promise<OpenSource> {
  if (source.kind === 'checkout' || source.kind === 'directory') {
    return { source, root: source.path, manifest: readManifest(source.path)!, tarball: null }
  }
  let tarball = source.kind === 'tarball' ? source.path : ''
  if (source.kind === 'registry') {
    await runProgram('npm', ['pack', source.name, '--pack-destination', workDir, '--loglevel=error'], workDir)
    tarball = join(workDir, readdirSync(workDir).find((name) => name.endsWith('.tgz')) ?? '')
  }
  const root = await unpackPackage(tarball, workDir)
  const manifest = readManifest(root)
  if (manifest === null) throw new StartError(`${tarball} is not a package of Linnet.`)
  return { source, root, manifest, tarball }
}
