import { PGlite } from '@electric-sql/pglite';
const stats=new Map();
const P=PGlite.prototype;
const orig=P.execProtocolRawSync;
let cur='?';
for (const m of ['execProtocolRawSync']) {
  P[m]=function(...a){const t=process.cpuUsage();const r=orig.apply(this,a);const d=process.cpuUsage(t);
   const s=Buffer.from(a[0]).toString('latin1'); let k=s[0]+' '+(s[0]==='P'?s.slice(5).replace(/\s+/g,' ').replace(/[^ -~]/g,'').slice(0,70):''); if(s[0]==='P')cur=k; else if(s[0]!=='Q') k=s[0]+' '+cur; else k=s.slice(0,60).replace(/[^ -~]/g,'');
   const e=stats.get(k)??[0,0]; e[0]++; e[1]+=d.user+d.system; stats.set(k,e); return r;};
}
process.on('exit',()=>{const all=[...stats].sort((a,b)=>b[1][1]-a[1][1]); let tot=0; for(const [,e] of all) tot+=e[1]; console.error('pglite cpu ms',tot/1000); for(const [k,[n,c]] of all.slice(0,40)) console.error((c/1000).toFixed(0),n,(c/1000/n).toFixed(2),k);});
