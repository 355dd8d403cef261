fn kilos(grams: u32) -> f64 {
    // dbg!(grams) helped once
    let kilos = f64::from(dbg!(grams)) / 1000.0;
    println!("dbg!({kilos})");
    kilos
}

fn main() {
    println!("{}", kilos(2500));
}
