/** The table `reserve_proofs`: its one row is the newest proof of reserves. */
import type { Queryable } from '../db/database.ts'
import type { SignedReserves } from './statement.ts'

/** Keeps a proof, unless a newer one is there. */
export async function storeProof(db: Queryable, proof: SignedReserves): Promise<void> {
  await db.query(
    `insert into reserve_proofs as p (made_at, proof) values ($1, $2::jsonb)
     on conflict (is_only) do update set made_at = excluded.made_at, proof = excluded.proof where p.made_at <= excluded.made_at`,
    [new Date(proof.madeAt), JSON.stringify(proof)],
  )
}

/** The newest proof; undefined before the first. */
export async function readProof(db: Queryable): Promise<SignedReserves | undefined> {
  const [row] = await db.query<{ proof: SignedReserves }>('select proof from reserve_proofs')
  return row?.proof
}
