// oxlint-disable no-await-in-loop -- a file is read in order
import { readBoxes, readUuid, removeBox, requireBox, type Box } from './boxes.ts'
import { latin1, MalformedMedia, type MediaReader } from './MediaReader.ts'
import type { Overwrites } from './Overwrites.ts'
import { readSampleRanges, type Range } from './readSampleRanges.ts'

const keptInMovie = /^(?:mvhd|mvex|iods|pssh|rmra|clip|ctab|ainf)$/
const keptInTrack = /^(?:tkhd|edts|tref|tapt|load|imap|matt|clip|crgn|txas|senc)$/
const removedBelow = /^(?:udta|meta|uuid|free|skip)$/
const containersBelow = /^(?:minf|stbl|edts)$/

/** Kinds of tracks with pictures or sounds, and time codes. All others contain data for programs, such as positions. */
const shownTracks = /^(?:vide|soun|auxv|pict|tmcd|hint|url )$/
const textTracks = /^(?:text|sbtl|subt|clcp)$/
/** Drones write their position as subtitles. */
const positionText = /gps|latitude|longitude/i
/** Tags of a piece of music that contain a position. */
const positionTags = /\xa9xyz|loci|location|gps|latitude/i
const maxTextBytes = 256 * 1024

/** A panorama's projection. */
const sphericalUuid = 'ffcc8263f8554a938814587a02521fdd'
/** The structure of Canon's raw files. One of its boxes contains the position. */
const canonUuid = '85c0b687820f11e08111f4ce462b6a48'

/** A movie, and the offset of the file that contains it, from which its samples are counted. */
interface Movie {
  box: Box
  base: number
}

interface Track {
  box: Box
  boxes: Box[]
  media: Box
  mediaBoxes: Box[]
  handler: string
}

/**
 * Finds the metadata of a movie: user data, tags, and tracks without pictures or sounds, with their samples.
 * @returns whether a track is removed
 */
export async function findInMovie(
  reader: MediaReader,
  overwrites: Overwrites,
  { box, base }: Movie,
): Promise<{ hasRemovedTrack: boolean }> {
  const boxes = await readBoxes(reader, box.body, box.end)
  const tracks: Track[] = []
  for (const track of boxes.filter(({ type }) => type === 'trak')) tracks.push(await readTrack(reader, track))
  const isMusic =
    tracks.some(({ handler }) => handler === 'soun') && !tracks.some(({ handler }) => handler === 'vide')
  let hasRemovedTrack = false
  for (const track of tracks) {
    if (await isTrackKept(reader, track, base)) await findInTrack(reader, overwrites, track)
    else {
      hasRemovedTrack = true
      for (const { start, end } of await rangesOf(reader, track, base))
        await overwrites.add(start, end - start)
      await removeBox(reader, overwrites, track.box)
    }
  }
  for (const other of boxes) {
    if (other.type === 'trak' || keptInMovie.test(other.type)) continue
    if (other.type === 'cmov') throw new MalformedMedia('a compressed movie')
    // The title and the artist of a piece of music are part of it.
    if (isMusic && /^(?:udta|meta)$/.test(other.type) && !(await containsPosition(reader, other))) continue
    await removeOther(reader, overwrites, other)
  }
  return { hasRemovedTrack }
}

async function readTrack(reader: MediaReader, box: Box): Promise<Track> {
  const boxes = await readBoxes(reader, box.body, box.end)
  const media = requireBox(boxes, 'mdia')
  const mediaBoxes = await readBoxes(reader, media.body, media.end)
  const handler = await reader.text(requireBox(mediaBoxes, 'hdlr').body + 8, 4)
  return { box, boxes, media, mediaBoxes, handler }
}

async function rangesOf(reader: MediaReader, track: Track, base: number): Promise<Range[]> {
  return readSampleRanges(reader, requireBox(track.mediaBoxes, 'minf'), base)
}

async function isTrackKept(reader: MediaReader, track: Track, base: number): Promise<boolean> {
  if (shownTracks.test(track.handler)) return true
  if (!textTracks.test(track.handler)) return false
  let text = ''
  for (const { start, end } of await rangesOf(reader, track, base)) {
    text += await reader.text(start, Math.min(end - start, maxTextBytes))
    if (text.length >= maxTextBytes) break
  }
  // In UTF-16, each letter is beside a zero.
  return !positionText.test(text.replaceAll('\0', ''))
}

async function findInTrack(reader: MediaReader, overwrites: Overwrites, track: Track): Promise<void> {
  for (const box of track.boxes)
    if (box.type !== 'mdia' && !keptInTrack.test(box.type)) await removeOther(reader, overwrites, box)
  await findBelow(reader, overwrites, track.media)
}

async function findBelow(reader: MediaReader, overwrites: Overwrites, parent: Box): Promise<void> {
  for (const box of await readBoxes(reader, parent.body, parent.end)) {
    if (removedBelow.test(box.type)) await removeBox(reader, overwrites, box)
    else if (containersBelow.test(box.type)) await findBelow(reader, overwrites, box)
  }
}

async function containsPosition(reader: MediaReader, box: Box): Promise<boolean> {
  for (let at = box.body; at < box.end;) {
    const chunk = await reader.chunk(at, box.end)
    if (positionTags.test(latin1(chunk))) return true
    // A tag may begin in one chunk and end in the next one.
    at += chunk.length > 64 && at + chunk.length < box.end ? chunk.length - 16 : chunk.length
  }
  return false
}

async function removeOther(reader: MediaReader, overwrites: Overwrites, box: Box): Promise<void> {
  const uuid = box.type === 'uuid' ? await readUuid(reader, box) : ''
  if (uuid === sphericalUuid) return
  if (uuid !== canonUuid) return removeBox(reader, overwrites, box)
  for (const inner of await readBoxes(reader, box.body + uuid.length / 2, box.end))
    if (inner.type === 'CMT4') await removeBox(reader, overwrites, inner)
}
