/** Bits of an id that name the slot; the rest tell its occupants apart. */
const slotBits = 16
const slotMask = (1 << slotBits) - 1

/**
 * What is under way, by a number of 32 bits. Slots are used again: a Map grows a new table every few dozen
 * entries, and what the old ones still point at outlives the collections that would have freed it cheaply.
 */
export class Slots<T> {
  readonly #values: (T | null)[] = []
  readonly #ids: number[] = []
  readonly #free: number[] = []
  size = 0

  /** Answers the number by which it is found, another one for each occupant of a slot. */
  add(value: T): number {
    const slot = this.#free.pop() ?? this.#values.length
    if (slot > slotMask) throw new RangeError('too much is under way')
    const id = (((this.#ids[slot] ?? slot) + slotMask + 1) >>> 0) as number
    this.put(id, value)
    return id
  }

  /** For the side that did not choose the number. */
  put(id: number, value: T): void {
    const slot = id & slotMask
    while (this.#values.length <= slot) {
      this.#ids.push(this.#values.length)
      this.#values.push(null)
    }
    if (this.#values[slot] === null) this.size++
    this.#values[slot] = value
    this.#ids[slot] = id
  }

  get(id: number): T | undefined {
    const slot = id & slotMask
    return this.#ids[slot] === id ? (this.#values[slot] ?? undefined) : undefined
  }

  delete(id: number): void {
    const slot = id & slotMask
    if (this.#ids[slot] !== id || this.#values[slot] === null) return
    this.#values[slot] = null
    this.#free.push(slot)
    this.size--
  }

  clear(): void {
    for (const id of this.#ids) this.delete(id)
  }

  /** In no order. */
  values(): T[] {
    return this.#values.filter((value) => value !== null)
  }
}
